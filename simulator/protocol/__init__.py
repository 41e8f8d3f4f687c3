"""Typed client and server events of HRP, and strict JSON in and out."""
