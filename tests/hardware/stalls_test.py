#!/usr/bin/env python3
"""stalls.py without a GPU and without ptxas: lines of PTX and of the source. Prints a
line a test."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stalls  # noqa: E402

PTX = '''.version 8.8
.target sm_90
.address_size 64
.global .align 4 .b8 table[4] = {1, 2, 3, 4};
.visible .entry first(
	.param .u64 first_param_0
)
{
	.reg .b32 %r<3>;
	.loc 1 5 0
	/* mov.u32 %r1,
	   1; */ mov.u32 %r1, 1; // mov.u32
$L__below:
	.loc 2 90 3, function_name $L__info_string0, inlined_at 1 6 2
	add.s32
		%r2, %r1, 2;
	.loc 3 91 3, function_name $L__info_string1, inlined_at 2 90 3
	@%p1 bra $L__below;
	{
	ret;
	}
}
.entry second()
{
	ret;
}
	.file	1 "here/own.cu"
	.file	2 "its.hpp"
'''


class Lines(unittest.TestCase):
    def test_each_instruction_has_its_own_line(self):
        labelled = stalls.label(PTX, "x.ptx").split("\n")
        numbers = [int(line.split()[2]) for line in labelled if ".loc" in line]
        self.assertEqual(numbers, [12, 15, 18, 20, 25])
        self.assertEqual([line for line in labelled if ".file" in line],
                         ['.file 1 "x.ptx"'])

    def test_text_between_the_locs_stays(self):
        kept = [line for line in PTX.split("\n")
                if not line.strip().startswith((".loc", ".file"))]
        labelled = [line for line in stalls.label(PTX, "x.ptx").split("\n")
                    if not line.strip().startswith((".loc", ".file"))]
        self.assertEqual(labelled, kept)

    def test_sources_are_where_a_function_was_called(self):
        places = stalls.sources(PTX)
        self.assertEqual(places[12], "own.cu:5")
        self.assertEqual(places[15], "own.cu:6")
        self.assertEqual(places[18], "own.cu:6")
        self.assertEqual(places[25], "-")

    def test_entries_have_first_lines(self):
        self.assertEqual(stalls.entries(PTX), [("first", 5), ("second", 23)])

    def test_an_address_has_the_row_before_it(self):
        table = [(0, 12), (0x20, 15), (0x40, 18)]
        self.assertEqual([stalls.line_of(table, a) for a in (0, 0x10, 0x20, 0x50)],
                         [12, 12, 15, 18])


class Printed(unittest.TextTestResult):
    def addSuccess(self, test):
        print("ok stalls.py:", test.id().split(".")[-1][5:].replace("_", " "))

    def addFailure(self, test, err):
        print("not ok stalls.py:", test.id().split(".")[-1][5:].replace("_", " "))
        print("  " + self._exc_info_to_string(err, test).replace("\n", "\n  "))

    addError = addFailure


if __name__ == "__main__":
    with open(os.devnull, "w") as nowhere:
        ran = unittest.main(exit=False, testRunner=unittest.TextTestRunner(
            stream=nowhere, resultclass=Printed)).result
    sys.exit(not ran.wasSuccessful())
