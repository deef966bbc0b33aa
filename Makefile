# nearfar: see README.md. `make help` lists the targets.
#
# Objects live in build/CONFIG/, one folder a configuration, so that a
# sanitizer build never mixes with a plain one.

VERSION  := 0.1.0
CONFIG   ?= release
CC       ?= gcc
PREFIX   ?= /usr/local
JOBS     ?= $(shell nproc)

LIBRARIES   := hwloc libcpuid jansson yaml-0.1 zlib
TEST_LIBS   := criterion
B           := build/$(CONFIG)

CFLAGS_release := -O3 -g
CFLAGS_asan    := -O1 -g -fsanitize=address,undefined \
		  -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_tsan    := -O1 -g -fsanitize=thread -fno-omit-frame-pointer
LDFLAGS_asan   := -fsanitize=address,undefined
LDFLAGS_tsan   := -fsanitize=thread

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	    -Wno-missing-field-initializers \
	    -Wpointer-arith -Wwrite-strings -Wvla -Werror=implicit
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -DNEARFAR_VERSION='"$(VERSION)"' \
	     $(WARNINGS) $(CFLAGS_$(CONFIG)) $(CFLAGS) -Iharness \
	     $(shell pkg-config --cflags $(LIBRARIES))
ALL_LDFLAGS = $(LDFLAGS_$(CONFIG)) $(LDFLAGS)
ALL_LIBS    = $(shell pkg-config --libs $(LIBRARIES)) -ldl -lm -pthread

SOURCES := $(filter-out harness/main.c,$(wildcard harness/*.c)) \
	   $(wildcard bench/*.c backend_sim/*.c backend_cuda/*.c)
OBJECTS := $(SOURCES:%.c=$(B)/%.o) $(B)/backend_sim/machines.o
MACHINES := $(sort $(wildcard backend_sim/machines/*.yaml))
UNIT    := $(wildcard tests/unit/*.c)
UNIT_OBJECTS := $(UNIT:%.c=$(B)/%.o)

.PHONY: all
all: build/nearfar ## build build/nearfar

# ---- building ----

# Rebuild when a flag changes.
FLAGS := $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
.PHONY: FORCE
FORCE:

$(B)/%.o: %.c $(B)/flags | libraries
	@mkdir -p $(@D)
	@echo '  CC      $<'
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# The machine files travel inside the binary.
$(B)/backend_sim/machines.S: $(MACHINES) Makefile
	@mkdir -p $(@D)
	@{ echo '	.section .rodata'; \
	for f in $(MACHINES); do n=$$(basename $$f .yaml); \
	l=$$(echo $$n | tr - _); \
	echo "name_$$l: .string \"$$n\""; \
	echo "text_$$l: .incbin \"$$f\""; \
	echo "end_$$l: .byte 0"; done; \
	echo '	.section .data.rel.ro, "aw"'; \
	echo '	.balign 8'; echo '	.globl machine_files'; \
	echo 'machine_files:'; \
	for f in $(MACHINES); do l=$$(basename $$f .yaml | tr - _); \
	echo "	.quad name_$$l, text_$$l, end_$$l"; done; \
	echo '	.quad 0, 0, 0'; \
	echo '	.section .note.GNU-stack,"",@progbits'; } > $@

$(B)/backend_sim/machines.o: $(B)/backend_sim/machines.S
	@$(CC) -c $< -o $@

$(B)/nearfar: $(B)/harness/main.o $(OBJECTS)
	@echo '  LINK    $@'
	@$(CC) $(ALL_LDFLAGS) $^ -o $@ $(ALL_LIBS)

build/nearfar: $(B)/nearfar
	@cp -f $< $@

.PHONY: libraries
libraries:
	@for l in $(LIBRARIES); do pkg-config --exists $$l || { \
	echo "nearfar needs $$l; 'make demo' installs what is missing"; \
	exit 1; }; done

-include $(OBJECTS:.o=.d) $(UNIT_OBJECTS:.o=.d) $(B)/harness/main.d
