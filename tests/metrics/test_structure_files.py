"""Reading of PDB and mmCIF files: what is read, what is refused, what hostile files do."""

import os
import pickle
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomlbench.structures import Structure, StructureError, parse_structure, read_structure

FIELDS = ("coordinates", "chain", "number", "insertion", "residue", "atom")


def pdb_line(
    serial=1, atom=" CA ", alt=" ", residue="ALA", chain="A", number=1, insertion=" ",
    x=1.0, y=2.0, z=3.0, occupancy=1.0, record="ATOM  ",
):  # fmt: skip
    return (
        f"{record}{serial:5d} {atom}{alt}{residue:>3s} {chain}{number:4d}{insertion}   "
        f"{x:8.3f}{y:8.3f}{z:8.3f}{occupancy:6.2f}  0.00           C\n"
    )


def as_mmcif(structure, **overrides):
    """Write atoms as an mmCIF atom site loop."""
    columns = {
        "group_PDB": ["ATOM"] * len(structure),
        "id": range(1, len(structure) + 1),
        "type_symbol": [a[0] for a in structure.atom],
        "label_atom_id": [f'"{a}"' if "'" in a else a for a in structure.atom],
        "label_alt_id": ["."] * len(structure),
        "label_comp_id": structure.residue,
        "label_asym_id": ["Z"] * len(structure),
        "label_seq_id": range(1, len(structure) + 1),
        "pdbx_PDB_ins_code": [i or "?" for i in structure.insertion],
        "Cartn_x": [f"{x:.3f}" for x in structure.coordinates[:, 0]],
        "Cartn_y": [f"{y:.3f}" for y in structure.coordinates[:, 1]],
        "Cartn_z": [f"{z:.3f}" for z in structure.coordinates[:, 2]],
        "occupancy": ["1.00"] * len(structure),
        "auth_seq_id": structure.number,
        "auth_asym_id": structure.chain,
        "pdbx_PDB_model_num": ["1"] * len(structure),
    }
    columns.update(overrides)
    columns = {k: v for k, v in columns.items() if v is not None}
    rows = zip(*columns.values(), strict=True)
    return "\n".join(
        ["data_test", "#", "_entry.id test", "#", "loop_"]
        + [f"_atom_site.{name}" for name in columns]
        + [" ".join(map(str, row)) for row in rows]
        + ["#", "loop_", "_other.thing", "1", ""]
    )


def same(a: Structure, b: Structure) -> bool:
    return all(np.array_equal(getattr(a, f), getattr(b, f)) for f in FIELDS)


def test_fields_are_read_by_column():
    text = "HEADER    TEST\n" + pdb_line(
        atom=" CA ", residue="MET", chain="x", number=-12, insertion="B", x=-999.999, z=9999.999
    )
    s = parse_structure(text)
    assert [getattr(s, f).tolist() for f in FIELDS] == [
        [[-999.999, 2.0, 9999.999]], ["x"], [-12], ["B"], ["MET"], ["CA"]
    ]  # fmt: skip
    assert len(s) == len(s.alpha_carbons) == 1


def test_line_ends_and_short_records():
    text = pdb_line() + pdb_line(number=2)
    expected = parse_structure(text)
    assert same(parse_structure(text.replace("\n", "\r\n")), expected)
    assert same(parse_structure("".join(line[:54] + "\n" for line in text.splitlines())), expected)
    assert same(parse_structure(text.rstrip("\n")), expected)
    assert same(parse_structure(text.encode()), expected)


def test_alternate_locations_most_occupied_first_among_equals():
    text = (
        pdb_line(alt="A", x=1.0, occupancy=0.3)
        + pdb_line(alt="B", x=2.0, occupancy=0.7)
        + pdb_line(number=2, alt="B", x=3.0, occupancy=0.5, residue="SER")
        + pdb_line(number=2, alt="A", x=4.0, occupancy=0.5, residue="THR")
        + pdb_line(number=3, x=5.0)
        # One location a residue, even where single atoms are occupied otherwise.
        + pdb_line(number=4, atom=" N  ", alt="A", x=6.0, occupancy=0.9)
        + pdb_line(number=4, atom=" N  ", alt="B", x=7.0, occupancy=0.1)
        + pdb_line(number=4, alt="A", x=8.0, occupancy=0.4)
        + pdb_line(number=4, alt="B", x=9.0, occupancy=0.6)
    )
    s = parse_structure(text)
    assert s.coordinates[:, 0].tolist() == [2.0, 4.0, 5.0, 6.0, 8.0]
    assert s.residue.tolist() == ["ALA", "THR", "ALA", "ALA", "ALA"]


def test_insertion_codes_are_residues_of_their_own():
    s = parse_structure(pdb_line(insertion="A") + pdb_line(insertion="B") + pdb_line())
    assert len(s.alpha_carbons) == 3


def test_hetero_atoms_are_left_out_but_for_selenomethionine():
    text = (
        pdb_line()
        + pdb_line(number=2, residue="MSE", record="HETATM")
        + pdb_line(number=3, residue="HOH", record="HETATM", atom=" O  ")
        + pdb_line(number=4, residue=" CA", record="HETATM", atom="CA  ")
        + "TER\n"
        + pdb_line(number=1, chain="B")
    )
    s = parse_structure(text)
    assert s.residue.tolist() == ["ALA", "MSE", "ALA"]
    assert s.chains == ["A", "B"]


def test_models_are_counted_in_file_order():
    text = "".join(f"MODEL     {k:4d}\n{pdb_line(x=float(k))}ENDMDL\n" for k in (7, 8, 9))
    assert [parse_structure(text, model=m).coordinates[0, 0] for m in (1, 2, 3)] == [7, 8, 9]
    for model in (0, 4):
        with pytest.raises(StructureError, match=f"has 3 models, number {model}"):
            parse_structure(text, model=model)
    with pytest.raises(StructureError, match="one model"):
        parse_structure(pdb_line(), model=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("  \n \n", "is empty"),
        ("HEADER\nEND\n", "no polymer atoms"),
        (pdb_line()[:50], "line 1: .*before the coordinates"),
        (pdb_line() + pdb_line(number=2).replace("   1.000", "   1.0x0"), "line 2: .*coordinate"),
        (pdb_line().replace("   1.000", "     nan"), "not a number"),
        (pdb_line().replace("   1.000", "     inf"), "not a number"),
        (pdb_line().replace("   1.000", "   1e300"), "not a number"),
        (pdb_line().replace("   1.000", "        "), "no valid coordinate"),
        (pdb_line().replace("   1.000", "1.0 2.00"), "no valid coordinate"),
        (pdb_line().replace("A   1 ", "A     "), "no valid residue number"),
        (pdb_line().replace("A   1 ", "AA000 "), "residue number that is not a number"),
        (pdb_line() + pdb_line(x=5.0), "atom CA of residue A:1 twice"),
        (pdb_line().replace("ALA", "AL\0"), "printable"),
        (pdb_line().replace("ALA", "ALÄ"), "not ASCII"),
        (pdb_line(alt="A").replace("  1.00  0.00", "  one   0.00"), "occupancy"),
    ],
)
def test_malformed_pdb_is_refused_with_its_place(text, message):
    with pytest.raises(StructureError, match=message):
        parse_structure(text, "model.pdb")


def example():
    return parse_structure(
        "".join(
            pdb_line(serial=i, atom=f" {a:<3s}", number=n, chain=c, x=float(i), insertion=ins)
            for i, (n, c, ins, a) in enumerate(
                [(1, "A", " ", "N"), (1, "A", " ", "CA"), (2, "A", "C", "CA"), (-3, "B", " ", "CA"),
                 (4, "B", " ", "O5'")]
            )
        )
    )  # fmt: skip


def test_mmcif_reads_as_the_same_pdb():
    s = example()
    assert same(parse_structure(as_mmcif(s)), s)
    assert same(parse_structure(as_mmcif(s).replace("\n", "\r\n")), s)
    assert same(parse_structure(as_mmcif(s, occupancy=None, pdbx_PDB_model_num=None)), s)
    ca = parse_structure(as_mmcif(s), only_ca=True)
    assert same(ca, s.select(s.atom == "CA"))
    label = parse_structure(as_mmcif(s, auth_seq_id=None, auth_asym_id=None))
    assert label.chains == ["Z"]
    assert label.number.tolist() == [1, 2, 3, 4, 5]


def test_mmcif_models_hetero_atoms_and_locations():
    s = example()
    n = len(s)
    text = as_mmcif(s, pdbx_PDB_model_num=["5", "5", "5", "9", "9"])
    assert len(parse_structure(text)) == 3
    assert len(parse_structure(text, model=2)) == 2
    with pytest.raises(StructureError, match="has 2 models"):
        parse_structure(text, model=3)
    text = as_mmcif(s, group_PDB=["ATOM", "HETATM", "HETATM", "ATOM", "ATOM"],
                    label_comp_id=["ALA", "MSE", "HOH", "ALA", "ALA"])  # fmt: skip
    assert parse_structure(text).residue.tolist() == ["ALA", "MSE", "ALA", "ALA"]
    text = as_mmcif(
        s,
        label_alt_id=[".", "A", "B", ".", "."],
        occupancy=["1", ".4", ".6", "1", "1"],
        auth_seq_id=[1, 1, 1, 2, 3],
        pdbx_PDB_ins_code=["?"] * n,
    )
    assert parse_structure(text).coordinates[:, 0].tolist() == [0.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Cartn_x": None}, "no column _atom_site.Cartn_x"),
        ({"Cartn_x": ["1.0", "nan", "1", "1", "1"]}, "Cartn_x of atom 2 is not a number"),
        ({"Cartn_x": ["1.0", "1_0", "1", "1", "1"]}, "Cartn_x of atom 2 is not a number"),
        ({"Cartn_x": ["1e9", "1", "1", "1", "1"]}, "beyond"),
        ({"auth_seq_id": ["1", "2", ".", "3", "4"]}, "atom 3 has no valid residue number"),
        ({"auth_seq_id": ["1", "2", "9" * 30, "3", "4"]}, "atom 3 has no valid residue number"),
        ({"label_atom_id": ["'N", "CA", "CA", "CA", "O"]}, "quoted value of atom 1"),
        ({"label_comp_id": ["ALA GLY", "A", "A", "A", "A"]}, "81 values .* for 16 columns"),
        ({"label_comp_id": ["A" * 65, "A", "A", "A", "A"]}, "longer than 64"),
        ({"label_comp_id": ["A" * 11, "A", "A", "A", "A"]}, "longer than 10"),
        ({"label_atom_id": ["N", "A" * 11, "CA", "CA", "O"]}, "name of atom 2 is longer"),
        ({"label_comp_id": ["Ä", "A", "A", "A", "A"]}, "ASCII"),
        ({"label_comp_id": ["\x01", "A", "A", "A", "A"]}, "printable"),
        ({"group_PDB": ["HETATM"] * 5}, "no polymer atoms"),
    ],
)
def test_malformed_mmcif_is_refused(change, message):
    with pytest.raises(StructureError, match=message):
        parse_structure(as_mmcif(example(), **change), "model.cif")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("data_x\n_atom_site.id 1\n", "loop_"),
        ("loop_\n_atom_site.id", "no rows"),
        ("loop_\n_atom_site.id\n_atom_site.id\n1 2\n", "twice"),
        ("loop_\n_atom_site.id\n#\n", "0 values"),
        ("loop_\n_atom_site.id\n;\ntext\n;\n", "text field"),
        ("loop_\n" + "".join(f"_atom_site.a{i}\n" for i in range(300)), "too many columns"),
    ],
)
def test_broken_mmcif_loops_are_refused(text, message):
    with pytest.raises(StructureError, match=message):
        parse_structure(text)


def test_only_regular_files_of_reasonable_size_are_read(tmp_path):
    path = tmp_path / "model.pdb"
    path.write_text(pdb_line() * 3)
    with pytest.raises(StructureError, match="larger than 100 bytes"):
        read_structure(path, max_bytes=100)
    with pytest.raises(StructureError, match="cannot be read"):
        read_structure(tmp_path / "absent.pdb")
    with pytest.raises(StructureError, match="not a regular file"):
        read_structure(tmp_path)
    fifo = tmp_path / "pipe.pdb"
    os.mkfifo(fifo)
    with pytest.raises(StructureError, match="not a regular file"):
        read_structure(fifo)
    with pytest.raises(StructureError, match="not a regular file"):
        read_structure("/dev/zero")


def test_errors_travel_between_processes():
    error = pickle.loads(pickle.dumps(StructureError("why", "no_common_residues")))
    assert (str(error), error.reason) == ("why", "no_common_residues")


@settings(max_examples=100, deadline=None)
@given(st.data(), st.booleans())
def test_any_corruption_is_read_or_refused(data, mmcif):
    s = example()
    text = (
        as_mmcif(s)
        if mmcif
        else "".join(pdb_line(serial=i, number=i, alt="AB "[i % 3]) for i in range(1, 6))
    )
    content = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(content) - 1))
        action = data.draw(st.sampled_from(["set", "cut", "insert", "double"]))
        if action == "set":
            content[place] = data.draw(st.integers(0, 255))
        elif action == "cut":
            del content[place : place + data.draw(st.integers(1, 40))]
        elif action == "insert":
            content[place:place] = bytes(data.draw(st.lists(st.integers(0, 255), max_size=9)))
        else:
            content[place:place] = content[place : place + 60]
        content = content or bytearray(b" ")
    try:
        structure = parse_structure(bytes(content))
    except StructureError:
        return
    assert np.isfinite(structure.coordinates).all()
    assert len(structure) > 0


@pytest.mark.parametrize(
    "content",
    [
        b"\n" * 20_000_000,
        b"ATOM  " * 3_000_000,
        b"ATOM  \n" * 900_000,
        b"loop_\n_atom_site.id\n" + b"1 " * 8_000_000,
        b"loop_\n_atom_site.id\n" + b"'a " * 5_000_000,
        b"\n_atom_site.id" * 1_000_000,
        random.Random(0).randbytes(8_000_000),
    ],
    ids=["newlines", "one line", "short atoms", "values", "quotes", "labels", "noise"],
)
def test_hostile_bulk_is_refused_quickly(content):
    started = time.process_time()
    with pytest.raises(StructureError):
        parse_structure(content)
    assert time.process_time() - started < 5.0
