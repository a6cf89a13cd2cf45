"""What is richer than linear mechanisms behind one layer, where these leave noise that differs."""

from dataclasses import replace

from elsewhere.draws import as_key, words_of
from elsewhere.fitting.profile.options import Options
from elsewhere.fitting.progress import Progress, part_of
from elsewhere.fitting.result import Explanation, FitResult
from elsewhere.fitting.split import Split
from elsewhere.fitting.which_mechanisms import (
    may_be_likelier,
    no_better,
    taken_with,
    too_poor,
    with_words,
)

LEAST_DOUBT = 0.1  # of what is chosen, from which on something richer is searched for
MOST_RICHER = 8  # columns, up to which it is
TWO_LAYERS, CURVED = "with a mixing of two leaky layers", "curved ones with a linear mixing"
SEED = 0  # of the search, so that the answer does not depend on the user's

Straight = tuple[FitResult, FitResult]  # with a linear and with a leaky mixing


def try_richer(
    options: Options,
    simple: FitResult,
    chosen: FitResult,
    straight: Straight,
    rows: Split,
    progress: Progress,
) -> FitResult:
    """Two leaky layers, and curved mechanisms, where what is chosen leaves noise that differs.

    Each is taken if clearly likelier than all before it that would do, and if the noise then
    differs less. Curves stand for others that no rows tell, so that LEAST_DOUBT remains.
    """
    likeliest = [s for s in straight if not too_poor(s, simple, rows)] or [*straight]
    for find, words, doubt in ((_layered, TWO_LAYERS, 0.0), (_curved, CURVED, LEAST_DOUBT)):
        if chosen.doubt < LEAST_DOUBT:
            break
        found = find(options, rows, straight, progress)
        if found is None:
            continue
        said = f"{found.k} of {rows.m} mechanisms differ, {words}"
        if but := no_better(found, simple, chosen, likeliest, rows):
            chosen = with_words(chosen, Explanation("mechanisms", said + but, used=False))
            continue
        others = replace(simple, explanations=chosen.explanations)
        taken = taken_with(found, others, (Explanation("mechanisms", said, used=True),), rows)
        chosen = replace(taken, doubt=max(taken.doubt, doubt))
        likeliest.append(found)
    return chosen


def _curved(options: Options, rows: Split, _: Straight, progress: Progress) -> FitResult:
    from elsewhere.fitting.curved import Curved

    engine, told = Curved(options), part_of(progress, 0.5, 1.0, "curved")
    found = engine.fit(as_key(words_of(SEED)), rows, ["auto"], told)["auto"]
    return replace(found, engine=engine)


def _layered(
    options: Options, rows: Split, straight: Straight, progress: Progress
) -> FitResult | None:
    """None where no second layer can pay: without kinks, or if Dense is no likelier."""
    linear, leaky = straight
    if leaky is linear:
        return None
    from elsewhere.fitting.layered import Layered

    engine, told = Layered(options=options), part_of(progress, 0.0, 0.5, "two layers")
    begun = engine.begin(as_key(words_of(SEED)), rows, ["auto"], told, leaky.model)
    return begun.solve("auto") if may_be_likelier(begun, "auto", leaky, rows.held) else None
