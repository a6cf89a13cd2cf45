"""A fit as JSON with its arrays apart, and back: every candidate's model, and the engine."""

from collections.abc import Hashable, Mapping
from dataclasses import asdict, is_dataclass, replace
from dataclasses import fields as fields_of
from typing import Any

from elsewhere.fitting import (
    Candidate,
    Engine,
    Explanation,
    FitResult,
    PathPoint,
)
from elsewhere.fitting.engines import engine_named, names_by_class
from elsewhere.saving.codec import Reader, Writer
from elsewhere.saving.labels import domains_from_json
from elsewhere.saving.places import TABLE_MODELS
from elsewhere.saving.rules import (
    Optional,
    fields,
    like,
    listed,
    nullable,
    number,
    text,
    truth,
    whole,
)

_OF_A_RESULT = ("k", "log_likelihood", "standard_error", "tolerance", "principle", "notes")
_OF_A_CANDIDATE = ("log_likelihood", "preference", "description")
_PLAIN = (str, bool, int, float, type(None))
_K = whole(0, 1_000_000)
_POINT = {name: number() for name in ("log_likelihood", "below_dense", "standard_error")}
_CANDIDATE = {"log_likelihood": number(), "preference": number(), "description": text}
_RESULT = fields(
    {
        "k": nullable(_K),
        "log_likelihood": number(),
        "standard_error": number(),
        "tolerance": number(),
        "principle": text,
        "notes": listed(text),
        "is_bound": truth,
        "path": listed(fields(_POINT | {"k": _K, "score_gain": number()}, exact=True)),
        "explanations": Optional(
            listed(fields({"name": text, "words": text, "used": truth}, exact=True))
        ),
        "doubt": Optional(number(0.0, 1.0)),
        "signs_known": Optional(truth),
        "engine": nullable(fields({})),
        "candidates": listed(fields(_CANDIDATE), 1, 1000),
    }
)


def result_parts(result: FitResult, writer: Writer) -> dict[str, Any]:
    """The result as JSON; its arrays go to the writer."""
    return {name: getattr(result, name) for name in _OF_A_RESULT} | {
        "is_bound": result.is_bound,
        "doubt": result.doubt,
        "signs_known": result.signs_known,
        "engine": None if result.engine is None else engine_parts(result.engine),
        "path": [asdict(point) for point in result.path],
        "explanations": [asdict(one) for one in result.explanations],
        "simpler": None if result.simpler is None else writer.part(result.simpler),
        "candidates": [
            {name: getattr(c, name) for name in _OF_A_CANDIDATE} | {"model": writer.part(c.model)}
            for c in result.candidates
        ],
    }


def check_result(saved: Any, reader: Reader) -> set[int | None]:
    """The lengths of rows that the models take, if the result can be read; nothing is built."""
    _RESULT(saved, "result")
    if saved["engine"] is not None:
        engine_back(saved["engine"])
    widths = {reader.check(model, TABLE_MODELS) for model in _models(saved)}
    if len({_domains(model) for model in _models(saved)} - {None}) > 1:
        raise ValueError("the models of a result must have the same domains.")
    return widths


def _models(saved: Mapping[str, Any]) -> list[Any]:
    """All candidates' models, and the simpler one where there is one."""
    simpler = saved.get("simpler")
    return [c.get("model") for c in saved["candidates"]] + ([] if simpler is None else [simpler])


def _domains(part: Mapping[str, Any]) -> tuple[Hashable, ...] | None:
    """Of a model that was checked; None of one that somebody else registered."""
    ((name, content),) = part.items()
    if name == "CorrectedMap":
        return _domains(content["base"])
    return domains_from_json(content["domains"]) if name in TABLE_MODELS else None


def result_back(saved: Mapping[str, Any], reader: Reader) -> FitResult:
    """The result that `result_parts` was given."""
    candidates = tuple(
        Candidate(reader.part(c["model"]), **{name: c[name] for name in _OF_A_CANDIDATE})
        for c in saved["candidates"]
    )
    plain: dict[str, Any] = {name: saved[name] for name in _OF_A_RESULT}
    plain |= {"notes": tuple(saved["notes"]), "is_bound": bool(saved["is_bound"])}
    path = tuple(PathPoint(**point) for point in saved["path"])
    engine = None if saved["engine"] is None else engine_back(saved["engine"])
    said = tuple(Explanation(**one) for one in saved.get("explanations", ()))
    simpler = saved.get("simpler")
    return FitResult(
        candidates,
        **plain,
        path=path,
        engine=engine,
        explanations=said,
        simpler=None if simpler is None else reader.part(simpler),
        doubt=float(saved.get("doubt", 0.0)),
        signs_known=bool(saved.get("signs_known", False)),
    )


def engine_parts(engine: Engine) -> dict[str, Any]:
    """{class: options}; options that are neither plain nor made of plain values are refused."""
    options = asdict(engine)  # type: ignore[call-overload]
    for name, value in options.items():
        inner = value.values() if isinstance(value, Mapping) else [value]
        if not all(isinstance(one, _PLAIN) for one in inner):
            raise ValueError(
                f"an engine is saved with its options, which must be plain values; got "
                f"{name}={value!r} of {type(engine).__name__}."
            )
    return {type(engine).__name__: options}


def engine_back(saved: Mapping[str, Any]) -> Engine:
    """The engine that `engine_parts` was given, if one of its class is registered here."""
    if len(saved) != 1:
        raise ValueError(f"an engine must have one class; got {sorted(saved)}.")
    ((name, options),) = saved.items()
    known = names_by_class()
    if name not in known:
        raise ValueError(
            f"it was fitted by the engine {name!r}, which is not known here; the engines are "
            f"{list(known)}. Register it with elsewhere.fitting.register first."
        )
    default = engine_named(known[name])
    like(default)(options, f"the options of {name}")
    given = {f.name: _kind(getattr(default, f.name), options[f.name]) for f in fields_of(default)}  # type: ignore[arg-type]
    return replace(default, **given)  # type: ignore[type-var]


def _kind(default: Any, value: Any) -> Any:
    return type(default)(**value) if is_dataclass(default) else value
