#ifndef NEARFAR_PAGE_ASSETS_H
#define NEARFAR_PAGE_ASSETS_H

/* The page's style and scripts, which travel inside the binary: see the
   Makefile. The digests are those of the content security policy, "sha256-"
   and base64. */
extern const char page_style[], page_script[];
extern const char page_style_digest[], page_script_digest[];

#endif
