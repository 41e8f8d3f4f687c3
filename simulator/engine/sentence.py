"""Is this sentence finished, as far as its words tell? Rules of English grammar over the last words. Pure.

They find what cannot end a sentence: "I went to the", "My favourite food is", "If it rains tomorrow". What they do not
find may still go on ("I went to the market", "and bought bread"): grammar alone cannot know.
"""

from __future__ import annotations

import enum
import re


class Grammar(enum.Enum):
    """What the words say of the sentence's end."""

    OPEN = "open"  # more must come
    DOUBTFUL = "doubtful"  # mostly more comes
    POSSIBLE = "possible"  # it may end here


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_OPENS = _set(
    # determiners and possessives that stand before a noun
    "the a an my your our their its every whose "
    # what joins to something else
    "and or but because although though unless whether while whereas nor than if "
    # hesitation and a beginning
    "um uh er erm uhm hmm well i we he they she you'd i'd we'd i'm we're they're he's she's it's that's there's i've "
    "we've "
    "i'll we'll they'll you're you've don't didn't doesn't won't wouldn't couldn't "
    "very quite rather extremely such "
)
_DOUBTFUL = _set(
    "to of with at from for into onto about between during without against towards toward among upon by as like "
    "in on over under behind beside near across through "
    "is was are were am be been has have had will would could should might must may shall "
    "that which who where what when how why "
    "his her these those some any more most many several both either each another other "
    "really actually just always also only probably maybe perhaps basically usually often mainly mostly "
    "so then even still "
    "think thought believe mean means said say guess feel felt want wanted need needed noticed "
)
_LINKING = _set("is was are were am be been means mean")
_PREPOSITIONS = _set(
    "to of with at from for into onto about between during without against towards toward among upon by as like "
    "in on over under behind beside near across through"
)
_SUBORDINATES = _set("if when although though while whenever unless before after since once until as")
_AUXILIARIES = _set(
    "do does did is are was were am have has had can could will would should shall may might must "
    "don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't"
)
_ASKING = _set("what where who which how why when whom whose")
_WHOLE = re.compile(
    r"^(?:(?:oh|well|yes|no|yeah|but|and|so|okay|um|uh)[, ]+)*(?:"
    r"(?:i )?(?:really )?(?:think|guess|believe|hope|suppose|mean) so|not really|maybe|perhaps|probably|actually|hmm|"
    r"(?:yes|no)?,? ?(?:i|we|they|you|he|she|it|there|that|this) (?:really )?"
    r"(?:do|does|did|am|is|are|was|were|have|has|had|can|could|will|would|should|might|must)|"
    r"(?:yes|no) please|(?:and|how|what) (?:about )?you|and then|so what|what|why|who|where|when|how|which|"
    r"you (?:mean|think|say)|me too|very much|some|any|both|either|many|most|more|well|always|often|usually|"
    r"what do you (?:mean|think|want|say)|(?:that's )?what (?:i|you) (?:mean|think|said|thought|want|wanted|need)"
    r")$"
)
_WORD = re.compile(r"[a-z0-9][a-z0-9'-]*")
_SENTENCES = re.compile(r"(?<=[.?!])\s+")


def grammar(text: str) -> Grammar:
    """What the words of the last sentence in this text say of its end; the text's closing mark is not looked at."""
    last = _SENTENCES.split(text.strip().lower().replace("’", "'"))[-1]
    words = _WORD.findall(last)
    if not words:
        return Grammar.POSSIBLE
    if _WHOLE.match(re.sub(r"[^a-z0-9', -]", "", last).strip(" ,-")):
        return Grammar.POSSIBLE
    if words[-1] in _OPENS:
        return Grammar.OPEN
    if _only_subordinate(last, words):
        return Grammar.DOUBTFUL
    if words[-1] in _DOUBTFUL and not _ends_all_the_same(words):
        return Grammar.DOUBTFUL
    return Grammar.POSSIBLE


def _only_subordinate(sentence: str, words: list[str]) -> bool:
    """ "If it rains tomorrow": a clause that needs another. "When did you go?" and "As you like." are none."""
    first = 1 if words[0] in ("and", "but", "so", "well", "um", "uh") and len(words) > 1 else 0
    rest = words[first + 1 :]
    if words[first] not in _SUBORDINATES or not rest or rest[0] in _AUXILIARIES or len(rest) < 2:
        return False
    # A comma inside divides the clause from its main clause; without one, a long row of words holds both.
    return "," not in sentence.rstrip(" ,.?!") and len(words) - first <= 8


def _ends_all_the_same(words: list[str]) -> bool:
    """Sentences that do end in such a word: "Where are you from?", "I agree with that", "as it is", "just like her"."""
    last, before = words[-1], words[:-1]
    if not before:
        return False
    if last in _PREPOSITIONS and last not in ("of", "like", "as"):
        # "Where do you come from?" but not "I come from"; and "come in", "go on", "turn it over".
        asks = bool(_ASKING & set(words[:3]))
        return asks or (last in ("in", "on", "over", "through", "by") and before[-1] in _PARTICLE_VERBS)
    if last in (
        "that",
        "her",
        "his",
        "these",
        "those",
        "some",
        "any",
        "more",
        "most",
        "many",
        "another",
        "other",
        "both",
    ):
        return before[-1] in _PREPOSITIONS or before[-1] in _TAKES_THAT
    if last in _LINKING or last in _AUXILIARIES:
        return bool((_ASKING | {"as", "than", "it", "that"}) & set(before[-4:-1])) or before[-1] in ("i", "not")
    return last in ("then", "so", "still", "really", "even", "only") and before[-1] in _BEFORE_ADVERB


_PARTICLE_VERBS = _set(
    "go going goes come came carry hold keep move it them that this moving on put stay came log from"
)
_TAKES_THAT = _set(
    "like do did does say said is was know mean love want see hear have had got all this and or the "
    "need meant remember understand forget believe not some any no once much many one two three told asked with"
)
_BEFORE_ADVERB = _set("back now by until till or not do did is was since just even not think thought said hope")
