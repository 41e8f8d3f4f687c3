"""A bug that showed, as the record's note of it."""

import traceback


def own_fault(code: str, where: str, error: Exception) -> dict[str, object]:
    """Return the fields of the note `problem` for a bug that showed in this."""
    sentence = f"The program itself failed in {where} ({type(error).__name__}): please report it."
    details = "".join(traceback.format_exception(error))
    return {"whose": "ours", "code": code, "sentence": sentence, "details": details}
