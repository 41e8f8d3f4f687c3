"""The user's own engines: name, address, model, headers, and where the key comes from. Keys are never shown."""

from functools import partial

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from simulator.engines.keys import KeySource, forget_key, key_source, store_key
from simulator.engines.profiles import (
    EngineProfile,
    FromEnvironment,
    delete_profile,
    load_profiles,
    parse_header,
    save_profile,
)
from simulator.engines.thinking import Think
from simulator.errors import SimulatorError, UsageError
from ui.background import Background
from ui.theme import SPACE_PX, Theme

_NEW = EngineProfile(name="", url="wss://")
_NEITHER, _AT_ADDRESS, _THINKING = -1, 0, 1
_KINDS = ("An engine at an address", "The embedded engine with a language model")
_THINK_NOTE = (
    "The embedded engine hears and speaks here, and this model decides what it says. Any server with OpenAI's chat "
    "completions does, for instance Ollama, llama.cpp or vLLM on this computer."
)
_BUILTIN_NOTES = {
    "embedded": "Comes with the program and is started when it is needed. Nothing to set. With a language model it is "
    "an engine of your own: press “New engine” and choose that kind.",
    "openai": "Built in: only its key is yours to give.",
}


class EnginesDialog(QDialog):
    """Edits the file of engines. Open it with `open()`."""

    engines_changed = Signal(str)
    """The name of the engine that was saved, or empty after one was removed."""

    def __init__(self, theme: Theme, chosen: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Engines")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme = theme
        self._background = Background(self)
        self._profiles: list[EngineProfile] = []
        self._shown = _NEW
        self._build()
        self._lay_out()
        self._load(chosen)

    def save(self) -> None:
        """Write the engine shown to the file, and the typed key to the system's keyring."""
        try:
            profile = self._edited()
            save_profile(profile)
        except SimulatorError as error:
            self._say(str(error), "error")
            return
        if profile.name != self._shown.name and self._shown.name and not self._shown.builtin:
            self._remove_old(self._shown.name)
        self._load(profile.name)
        self._say(f"“{profile.name}” saved.", "passed")
        self.engines_changed.emit(profile.name)

    def _build(self) -> None:
        self.list = QListWidget()
        self.list.setAccessibleName("Engines")
        self.list.currentRowChanged.connect(self._chosen)
        self.kind_picker = QComboBox()
        self.kind_picker.addItems(_KINDS)
        self.kind_picker.currentIndexChanged.connect(self._kind_chosen)
        self.name_field = QLineEdit()
        self.url_field = QLineEdit()
        self.model_field = QLineEdit()
        self.headers_field = QPlainTextEdit()
        self.headers_field.setTabChangesFocus(True)
        self.headers_field.setToolTip("One header a line. A value that begins with $ names an environment variable.")
        self.headers_field.setFixedHeight(self.fontMetrics().lineSpacing() * 4)
        self.key_env_field = QLineEdit()
        self.key_field = QLineEdit()
        self.key_field.setEchoMode(QLineEdit.EchoMode.Password)
        self._examples: dict[QLineEdit | QPlainTextEdit, tuple[str, str]] = {
            self.name_field: ("what you call it", "what you call it"),
            self.url_field: ("wss://host/path", "http://127.0.0.1:11434/v1"),
            self.model_field: ("sent as ?model=…", "empty: the first that the server has"),
            self.headers_field: ("Name: value\napi-key: $MY_VARIABLE", ""),
            self.key_env_field: ("MY_ENGINE_KEY", "empty: no key"),
        }
        self.store_button = QPushButton("Store key")
        self.store_button.clicked.connect(self._store_key)
        self.forget_button = QPushButton("Forget key")
        self.forget_button.clicked.connect(self._forget_key)
        self.key_state = QLabel()
        self.key_state.setWordWrap(True)
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.new_button = QPushButton("New engine")
        self.new_button.clicked.connect(partial(self._show, _NEW))
        self.delete_button = QPushButton("Remove")
        self.delete_button.setProperty("role", "danger")
        self.delete_button.clicked.connect(self._delete)
        self.save_button = QPushButton("Save")
        self.save_button.setProperty("role", "primary")
        self.save_button.clicked.connect(self.save)

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setSpacing(2 * SPACE_PX)
        for text, widget in (
            ("&Name", self.name_field),
            ("K&ind", self.kind_picker),
            ("&Address", self.url_field),
            ("&Model", self.model_field),
            ("&Headers", self.headers_field),
            ("&Key from variable", self.key_env_field),
        ):
            widget.setAccessibleName(text.replace("&", ""))
            form.addRow(text, widget)
        key = QHBoxLayout()
        key.addWidget(self.key_field, 1)
        key.addWidget(self.store_button)
        key.addWidget(self.forget_button)
        form.addRow("Key", key)
        form.addRow("", self.key_state)
        side = QVBoxLayout()
        side.addWidget(self.list, 1)
        side.addWidget(self.new_button)
        right = QVBoxLayout()
        right.addLayout(form)
        right.addWidget(self.message)
        right.addStretch(1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self.save_button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.delete_button, QDialogButtonBox.ButtonRole.DestructiveRole)
        buttons.rejected.connect(self.reject)
        right.addWidget(buttons)
        columns = QHBoxLayout(self)
        columns.setSpacing(4 * SPACE_PX)
        columns.addLayout(side, 1)
        columns.addLayout(right, 3)
        self.resize(760, 460)

    def _load(self, chosen: str) -> None:
        try:
            self._profiles = load_profiles()
        except SimulatorError as error:
            self._say(str(error), "error")
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems([profile.name for profile in self._profiles])
        self.list.blockSignals(False)
        names = [profile.name for profile in self._profiles]
        self.list.setCurrentRow(names.index(chosen) if chosen in names else 0)

    def _chosen(self, row: int) -> None:
        if 0 <= row < len(self._profiles):
            self._show(self._profiles[row])

    def _show(self, profile: EngineProfile) -> None:
        self._shown = profile
        if profile is _NEW:
            self.list.setCurrentRow(-1)
            self.name_field.setFocus()
        self.name_field.setText(profile.name)
        keyless = profile.builtin and not profile.needs_key
        kind = _AT_ADDRESS if profile.think is None else _THINKING
        self.kind_picker.setCurrentIndex(_NEITHER if keyless else kind)
        self.url_field.setText(profile.url if profile.think is None else profile.think.url)
        self.model_field.setText(profile.model if profile.think is None else profile.think.model)
        self.headers_field.setPlainText("\n".join(_header_line(name, value) for name, value in profile.headers.items()))
        self.key_env_field.setText(profile.key_env)
        self.key_field.clear()
        self._dress_fields()
        self.key_field.setPlaceholderText("" if keyless else "paste it here: it goes to the system's keyring")
        for widget in (self.key_field, self.store_button, self.forget_button):
            widget.setEnabled(bool(profile.name) and not keyless)
        self.save_button.setEnabled(not profile.builtin)
        self.delete_button.setEnabled(not profile.builtin and bool(profile.name))
        self._say(self._note(), "text_muted")
        self.key_state.setText("")
        if profile.name and not keyless:
            self._show_key_state(profile)
        elif not profile.name:
            self.key_state.setText("Save the engine, then store its key.")

    @property
    def _thinks(self) -> bool:
        return self.kind_picker.currentIndex() == _THINKING

    def _note(self) -> str:
        if self._shown.builtin:
            return _BUILTIN_NOTES.get(self._shown.name, "")
        return _THINK_NOTE if self._thinks else ""

    def _dress_fields(self) -> None:
        """Show which fields there are to fill in, with examples where something may be typed."""
        builtin = self._shown.builtin
        self.kind_picker.setEnabled(not builtin)
        for field, examples in self._examples.items():
            enabled = not builtin and not (self._thinks and field is self.headers_field)
            field.setEnabled(enabled)
            # An example in a field that cannot be filled in would pass for its content.
            field.setPlaceholderText(examples[self.kind_picker.currentIndex()] if enabled else "")

    def _kind_chosen(self) -> None:
        """Another kind: what was typed stays, but for a mere beginning of an address of the other kind."""
        if self.url_field.text() in {"", "wss://", "http://"}:
            self.url_field.setText("http://" if self._thinks else "wss://")
        self._dress_fields()
        self._say(self._note(), "text_muted")

    def _show_key_state(self, profile: EngineProfile) -> None:
        def found(source: KeySource | None, error: Exception | None) -> None:
            if self._shown is not profile:
                return
            if error is not None or source is None:
                self.key_state.setText("No key found." if profile.needs_key or profile.key_env else "No key stored.")
            elif source is KeySource.ENVIRONMENT:
                self.key_state.setText(f"✓ The key comes from the environment variable {profile.key_env}.")
            else:
                self.key_state.setText("✓ The key is in the system's keyring.")

        self._background.run(partial(key_source, profile.name, profile.key_env), found)

    def _edited(self) -> EngineProfile:
        name, url, model = (field.text().strip() for field in (self.name_field, self.url_field, self.model_field))
        key_env = self.key_env_field.text().strip()
        common = msgspec.structs.replace(
            self._shown, name=name, key_env=key_env, needs_key=bool(key_env) or self._shown.needs_key
        )
        if self._thinks:
            if url in {"", "http://"}:
                raise UsageError("The address of the model is missing: for Ollama it is http://127.0.0.1:11434/v1.")
            return msgspec.structs.replace(common, url="", model="", headers={}, think=Think(url, model))
        if url in {"", "wss://"}:
            raise UsageError("The address is missing: it starts with ws:// or wss:// and names a host.")
        return msgspec.structs.replace(common, url=url, model=model, headers=self._headers(), think=None)

    def _headers(self) -> dict[str, str | FromEnvironment]:
        headers: dict[str, str | FromEnvironment] = {}
        for line in self.headers_field.toPlainText().splitlines():
            if line.strip():
                name, value = parse_header(line)
                headers[name] = FromEnvironment(value[1:].strip("{}")) if value.startswith("$") else value
        return headers

    def _remove_old(self, name: str) -> None:
        try:
            delete_profile(name)
        except SimulatorError as error:
            self._say(str(error), "error")

    def _delete(self) -> None:
        name = self._shown.name
        try:
            delete_profile(name)
        except SimulatorError as error:
            self._say(str(error), "error")
            return
        self._load("")
        self._say(f"“{name}” removed. A stored key stays in the keyring until you forget it.", "text_muted")
        self.engines_changed.emit("")

    def _store_key(self) -> None:
        key, profile = self.key_field.text().strip(), self._shown
        self.key_field.clear()
        if not key:
            self._say("Paste a key into the field first.", "error")
            return
        profile = self._with_need_of_key(profile, True)
        self._say("Storing the key…", "text_muted")
        self._background.run(
            partial(store_key, profile.name, key), partial(self._keyring_done, profile, "The key is stored.")
        )

    def _forget_key(self) -> None:
        profile = self._with_need_of_key(self._shown, bool(self._shown.key_env))
        self._background.run(
            partial(forget_key, profile.name), partial(self._keyring_done, profile, "The key is forgotten.")
        )

    def _with_need_of_key(self, profile: EngineProfile, needs_key: bool) -> EngineProfile:
        """Keep with the profile whether it needs a key: the keyring is asked for those only that do."""
        if profile.builtin or profile.needs_key is needs_key:
            return profile
        changed = msgspec.structs.replace(profile, needs_key=needs_key)
        try:
            save_profile(changed)
        except SimulatorError as error:
            self._say(str(error), "error")
            return profile
        self._profiles = [changed if each is profile else each for each in self._profiles]
        self._shown = changed
        return changed

    def _keyring_done(self, profile: EngineProfile, words: str, _result: None, error: Exception | None) -> None:
        if error is None:
            self._say(words, "passed")
        elif isinstance(error, SimulatorError):
            self._say(str(error), "error")
        else:
            self._say("The system's keyring failed: put the key into an environment variable instead.", "error")
        self._show_key_state(profile)

    def _say(self, text: str, role: str) -> None:
        self.message.setText(text)
        self.message.setStyleSheet(f"color: {getattr(self._theme.colours, role)};")


def _header_line(name: str, value: str | FromEnvironment) -> str:
    return f"{name}: ${value.env}" if isinstance(value, FromEnvironment) else f"{name}: {value}"
