/*
 * Reads lines "VERSION FORM", a form an instruction as forms.py draws it, and
 * says of each "+", or "-" and the reader's sentence. A form that the model has
 * not is PTX all the same: the reader takes the module that it stands in.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/ptx/ptx.h"

/* What a form stands in, as in forms.py. */
#define HEAD                                                                   \
	".version %.3s\n.target sm_90\n.address_size 64\n"                     \
	".global .align 16 .b32 gv[64];\n.const .align 16 .b32 cv[64];\n"      \
	".shared .align 16 .b32 sv[64];\n"                                     \
	".entry k(.param .b64 pv, .param .b32 pw)\n{\n"                        \
	".local .align 16 .b32 lv[64];\n.reg .pred p<4>;\n"                    \
	".reg .b16 bh<4>; .reg .u16 uh<4>; .reg .s16 ih<4>; .reg .f16 fh<4>;"  \
	".reg .b32 bw<4>; .reg .u32 uw<4>; .reg .s32 iw<4>; .reg .f32 fw<4>;"  \
	".reg .b64 bd<4>; .reg .u64 ud<4>; .reg .s64 id<4>; .reg .f64 fd<4>;"  \
	".reg .f16x2 fv<4>;\nL1:\n"

int main(void)
{
	char line[512], text[2048];

	while (fgets(line, sizeof(line), stdin)) {
		struct ptx_module module;
		struct error error = {""};
		int code;

		snprintf(text, sizeof(text), HEAD "%sret;\n}\n", line,
			line + strlen("9.0 "));
		code = ptx_parse("form", text, strlen(text), &module, &error);
		if (code)
			printf("- %s\n", error.text);
		else
			puts("+");
		if (!code)
			ptx_free(&module);
	}
	return 0;
}
