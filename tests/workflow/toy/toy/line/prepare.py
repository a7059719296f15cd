"""Thirty rows whose y is a function of x."""


def prepare(raw, public, private):
    """Write sample submission, test data and answers."""
    rows = [(f"r{i:02d}", i / 10, 2 * i / 10 + 1) for i in range(30)]
    (public / "test.csv").write_text("id,x\n" + "".join(f"{i},{x}\n" for i, x, _ in rows))
    (public / "sample_submission.csv").write_text(
        "id,y\n" + "".join(f"{r[0]},{n % 2}\n" for n, r in enumerate(rows))
    )
    answers = "id,y\n" + "".join(f"{i},{y!r}\n" for i, _, y in reversed(rows))
    (private / "answers.csv").write_text(answers)
    (private / "gold_submission.csv").write_text(answers)
