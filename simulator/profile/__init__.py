"""The HyperStudy Realtime Profile (HRP) as data: names, thresholds, tools, answers, context items."""
