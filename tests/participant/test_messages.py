"""Messages as lines: what a path of this computer may hold is no reason to lose one."""

from simulator.participant.messages import PlayStudy, Push, decode_command, encode_line
from simulator.study.steps import PushContext, Step, Study


def test_a_path_that_is_no_utf_8_reaches_the_participant_with_question_marks() -> None:
    picture = "/pictures/caf\udce9.png"  # as Python names a file whose name is in Latin-1
    push = decode_command(encode_line(Push(id=1, context={"event": "screen"}, images=[picture])))
    assert isinstance(push, Push)
    assert push.images == ["/pictures/caf?.png"]
    study = Study("Pictures", (Step(PushContext({"event": "screen"}, (picture,))),))
    play = decode_command(encode_line(PlayStudy(id=2, study=study)))
    assert isinstance(play, PlayStudy)
    assert play.study == Study("Pictures", (Step(PushContext({"event": "screen"}, ("/pictures/caf?.png",))),))
