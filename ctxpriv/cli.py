"""The command line: run and plan studies, calibrate, see models and ledger, start the app."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ctxpriv.errors import BadInput, CtxprivError
from ctxpriv.progress import Cancelled, CancelToken, Progress, silent

OK, SOME_FAILED, BAD_INPUT, CANCELLED = 0, 1, 2, 130


def main(argv: list[str] | None = None) -> int:
    """Returns the exit code: 0 done, 1 something failed, 2 bad input, 130 cancelled."""
    args = _parser().parse_args(argv)
    try:
        return args.do(args)
    except Cancelled:
        _say("Cancelled. Finished runs are kept; the same command goes on from here.")
        return CANCELLED
    except KeyboardInterrupt:
        _say("Stopped at once. Finished stages are kept; the same command goes on from here.")
        return CANCELLED
    except BrokenPipeError:  # whoever reads the output has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or closing it fails again
        return OK
    except BadInput as error:
        if args.debug:
            raise
        _say(f"{error}")
        return BAD_INPUT
    except CtxprivError as error:
        if args.debug:
            raise
        _say(f"{error}")
        return SOME_FAILED
    except Exception as error:
        if args.debug:
            raise
        from ctxpriv.failures import where_it_broke

        _say(where_it_broke(error) + " Run with --debug for details.")
        return SOME_FAILED


def _parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="ctxpriv", description="Audience-conditioned privatization of text corpora."
    )
    top.add_argument("--debug", action="store_true", help="show tracebacks (they may quote records)")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    run = _command(commands, "run", _run, "run a plan and write its results")
    run.add_argument("plan", type=Path)
    run.add_argument("--out", type=Path, required=True, help="folder for the results and what is released")
    run.add_argument("--bundles", action="store_true", help="also export a bundle per exportable release")
    run.add_argument("--quiet", action="store_true", help="no progress bar")
    plan = _command(commands, "plan", _plan, "say what a plan would do and cost, without running it")
    plan.add_argument("plan", type=Path)
    ledger = _command(commands, "ledger", _ledger, "show what was spent and released")
    calibrate = _command(commands, "calibrate", _calibrate, "compare a CI classifier with people's ratings")
    calibrate.add_argument(
        "file", nargs="?", type=Path, help="rated flows; default: $CTXPRIV_CI_NORMS, else ci_norms.jsonl"
    )
    calibrate.add_argument(
        "--model", default="norms", help='"norms" (the table), "language", or a model as plans name it'
    )
    calibrate.add_argument("--samples", type=int, default=5, help="askings per flow; a table needs one")
    for command in (run, plan, ledger, calibrate):
        command.add_argument(
            "--workspace", type=Path, default=None, help="default: $CTXPRIV_WORKSPACE, else ./workspace"
        )
    _command(commands, "doctor", _doctor, "which models are reachable, which will be used and why")
    app = _command(commands, "app", _app, "open the app on this machine")
    app.add_argument("--port", type=int, default=8501)
    return top


def _command(
    commands: argparse._SubParsersAction, name: str, do: Callable, text: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    parser.set_defaults(do=do)
    return parser


def _run(args: argparse.Namespace) -> int:
    from ctxpriv.kinds.kind import kind, run_any, study_from_yaml
    from ctxpriv.runner import StudyStopped
    from ctxpriv.workspace import Workspace

    study = study_from_yaml(args.plan)
    if args.out.exists() and not args.out.is_dir():  # told before anything is paid for
        raise BadInput("is a file.", where=str(args.out), fix="Name a folder for --out.")
    workspace = Workspace(args.workspace)
    with _cancel_on_interrupt() as token, _bar(args.quiet) as progress:
        try:
            finished = run_any(study, workspace, progress=progress, cancel=token, debug=args.debug)
        except StudyStopped as stopped:
            finished = stopped.comparison
    written = kind(study.kind).write(finished, workspace, args.out, bundles=args.bundles)
    lines, notes = kind(study.kind).told(finished)
    print("\n".join(lines))
    print(f"\n{len(written)} files in {args.out} (for the curator only, see README.md there)")
    for note in notes:
        _say(note)
    return SOME_FAILED if finished.failures else OK


def _plan(args: argparse.Namespace) -> int:
    from ctxpriv.kinds.kind import kind, study_from_yaml
    from ctxpriv.workspace import Workspace

    study = study_from_yaml(args.plan)
    print("\n".join(kind(study.kind).plan(study, Workspace(args.workspace))))
    return OK


def _ledger(args: argparse.Namespace) -> int:
    from ctxpriv.workspace import Workspace

    workspace = Workspace(args.workspace)
    names = {workspace.digest(e.key): e.name for e in workspace.corpora()}
    by_corpus = defaultdict(list)
    for line in workspace.ledger.lines():
        by_corpus[line.records or line.corpus].append(line)  # the same records under any schema
    for problem in workspace.ledger.problems():
        _say(problem)
    for lines in by_corpus.values():
        digest = lines[-1].corpus
        known = [names[e.corpus] for e in lines if e.corpus in names]
        print(f"{known[-1] if known else 'corpus'} ({digest[:12]})")
        for e in lines:
            status = "released" if e.released else "kept"
            cost = (
                "no formal guarantee"
                if e.empirical
                else f"epsilon {e.epsilon:g}, rho {e.rho:.4g}, delta {e.delta + e.extra_delta:.3g}"
            )
            print(
                f"  {e.date}  {e.mechanism}, {e.audience}: {cost}, {status}"
                + (f", card {e.card_id}" if e.card_id else "")
            )
        formal = [e for e in lines if not e.empirical]
        if len(formal) < len(lines):
            rewritten = len(lines) - len(formal)
            print(f"  rewritten, without any epsilon: {rewritten} {'run' if rewritten == 1 else 'runs'}")
        if not formal:
            continue
        total = workspace.ledger.total(digest, max(e.delta for e in formal))
        print(
            f"  run: rho {sum(e.rho for e in formal):.4g} in {len(formal)} runs. "
            f"Released: rho {total.rho:.4g} in {total.runs} runs, epsilon {total.epsilon:.4g} "
            f"at delta {total.delta:.3g} for all audiences together"
            + (f". {total.caveat}" if total.caveat else "")
        )
    if not by_corpus:
        print("Nothing has been spent yet.")
    return OK


def _calibrate(args: argparse.Namespace) -> int:
    from ctxpriv.calibrations import save_calibration
    from ctxpriv.casting import study_roles
    from ctxpriv.classify.calibrate import calibrate, ratings_file, read_flows
    from ctxpriv.model_choice import ModelChoice
    from ctxpriv.workspace import Workspace

    workspace = Workspace(args.workspace)
    path = args.file or ratings_file(workspace.root)
    flows = read_flows(path)
    by_table = args.model == "norms"
    choice = ModelChoice(
        language_model="auto" if by_table or args.model == "language" else args.model,
        generator="local",
        classifier="local" if by_table else "model",
    )
    classifier = study_roles(choice, workspace).classifier
    samples = 1 if by_table else args.samples
    with _cancel_on_interrupt() as token:
        found = calibrate(classifier, flows, source=path.name, samples=samples, progress=_count, cancel=token)
    save_calibration(workspace, found)
    print(found.sentence())
    print(f"Samples per flow: {found.samples}. {found.seconds:g} s. Where it differs from people:")
    for row in found.rows:
        if not row.agrees:
            said = "no answer" if row.score is None else f"public in {row.score:.0%} of samples"
            flow = f"{row.flow.information} -> {row.flow.recipient}, for: {row.flow.purpose}"
            print(f"  people {row.flow.rating:+.0f}, {said}: {flow}")
    return OK if found.usable else SOME_FAILED


def _doctor(args: argparse.Namespace) -> int:
    from ctxpriv.models.choose import doctor

    report = doctor()
    print("\n".join(report.lines))
    return OK if report.ok else SOME_FAILED


def _app(args: argparse.Namespace) -> int:
    script = Path(__file__).resolve().parents[1] / "app.py"
    if not script.exists():
        raise BadInput(
            "the app is not installed with the library.",
            where="ctxpriv app",
            fix="Start it in the project's folder with `make app`.",
        )
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(script),
        "--server.address",
        "127.0.0.1",
        "--server.port",
        str(args.port),
    ]
    return subprocess.run(command, cwd=script.parent, check=False).returncode


@contextmanager
def _cancel_on_interrupt() -> Iterator[CancelToken]:
    """The first Ctrl-C cancels between steps, so that nothing is torn; the second one stops at once."""
    token = CancelToken()

    def ask(signum: int, frame: object) -> None:
        if token.cancelled:
            raise KeyboardInterrupt
        _say("Stopping after this step. Press Ctrl-C again to stop at once.")
        token.cancel()

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield token
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _bar(quiet: bool) -> Iterator[Progress]:
    """Two bars: runs, and the stage of the present one."""
    if quiet:
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    from ctxpriv.runner import RUNS

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True)) as bars:
        runs = bars.add_task("runs", total=None)
        stage_bar = bars.add_task("starting", total=None)

        def show(stage: str, done: int, total: int) -> None:
            task = runs if stage == RUNS else stage_bar
            bars.update(task, description=stage, completed=done, total=total or None)

        yield show


def _count(stage: str, done: int, total: int) -> None:
    """One line that counts up, where somebody is watching."""
    if sys.stderr.isatty():
        print(f"\r{stage}: {done} of {total} ", end="" if done < total else "\n", file=sys.stderr, flush=True)


def _say(message: str) -> None:
    print(message, file=sys.stderr)
