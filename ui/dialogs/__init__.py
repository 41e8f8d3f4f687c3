"""The dialogs of the window: opened with open(), never exec()."""
