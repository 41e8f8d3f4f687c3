"""When a reply begins and when it is over for the participant."""

from simulator.participant.replies import ReplyBegan, ReplyOver, ReplyWatch


def test_a_reply_is_over_when_it_was_heard_however_early_the_engine_was_done() -> None:
    watch = ReplyWatch()
    assert watch.sound("r1", "i1") == [ReplyBegan("r1")]
    assert watch.sound("r1", "i1") == []
    assert watch.done("r1", "completed", 900, may_sound=True) == []
    assert watch.heard("i1", 500) == [ReplyOver("r1", "heard", 500)]


def test_a_reply_of_two_items_is_over_after_the_second() -> None:
    watch = ReplyWatch()
    watch.sound("r1", "i1")
    watch.sound("r1", "i2")
    assert watch.heard("i1", 500) == []
    assert watch.done("r1", "completed", 900, may_sound=True) == []
    assert watch.heard("i2", 700) == [ReplyOver("r1", "heard", 700)]


def test_a_reply_heard_before_the_engine_is_done_is_over_with_done() -> None:
    watch = ReplyWatch()
    watch.sound("r1", "i1")
    assert watch.heard("i1", 500) == []
    assert watch.done("r1", "failed", 900, may_sound=True) == [ReplyOver("r1", "failed", 500)]


def test_a_cut_ends_every_reply_it_touches() -> None:
    watch = ReplyWatch()
    watch.sound("r1", "i1")
    watch.sound("r2", "i2")
    assert watch.cut(["i1", "i2"], 600) == [ReplyOver("r1", "cut", 600), ReplyOver("r2", "cut", 600)]
    assert watch.done("r1", "completed", 900, may_sound=True) == []
    assert watch.cut(["i1"], 600) == []


def test_a_response_without_sound_is_no_reply() -> None:
    watch = ReplyWatch()
    assert watch.done("silent", "completed", 900, may_sound=True) == []
    assert watch.heard("unknown", 500) == []


def test_a_response_that_fails_without_a_sound_is_over_at_once() -> None:
    """A study would else wait for its first sound until its time is up."""
    watch = ReplyWatch()
    assert watch.done("r1", "failed", 900, may_sound=True) == [ReplyOver("r1", "failed", 900)]
    assert watch.done("r2", "incomplete", 900, may_sound=True) == [ReplyOver("r2", "failed", 900)]


def test_a_silent_answer_that_fails_is_no_failed_reply() -> None:
    assert ReplyWatch().done("r1", "failed", 900, may_sound=False) == []


def test_a_reply_that_was_cut_does_not_fail_afterwards() -> None:
    watch = ReplyWatch()
    watch.sound("r1", "i1")
    watch.cut(["i1"], 600)
    assert watch.done("r1", "failed", 900, may_sound=True) == []


def test_a_reply_cancelled_before_its_first_sound_leaves_the_wait_as_it_is() -> None:
    """The participant went on speaking: another reply comes."""
    assert ReplyWatch().done("r1", "cancelled", 900, may_sound=True) == []
