#ifndef NEARFAR_COMPARE_PARTS_H
#define NEARFAR_COMPARE_PARTS_H

/* The writers behind comparison_list_put(). */
#include "harness/report/compare.h"

int compare_put_people(const struct comparison_list *list,
	const struct verdict *verdict, enum text_style style, FILE *out,
	struct error *error);
int compare_put_csv(const struct comparison_list *list,
	const struct verdict *verdict, FILE *out, struct error *error);
int compare_put_json(const struct comparison_list *list,
	const struct verdict *verdict, FILE *out, struct error *error);
int compare_put_sheet(const struct comparison_list *list,
	enum series_format format, FILE *out, struct error *error);

#endif
