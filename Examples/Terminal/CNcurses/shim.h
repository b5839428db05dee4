// ncurses with wide characters draws on a terminal and reads its keys (Debian: libncurses-dev). Swift cannot import the
// macros of the attributes.
#pragma once
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <string.h>
#include <term.h>

// Swift's module Glibc does not declare this function.
int wcwidth(wchar_t scalar);

static const attr_t cncurses_bold = A_BOLD, cncurses_dim = A_DIM, cncurses_reversed = A_REVERSE;

// Returns a cell with at most CCHARW_MAX scalars. The width of the first one is that of the cell. setcchar(3) accepts only
// marks after it, so it rejects an emoji of several parts.
static inline cchar_t cncurses_cell(const wchar_t *scalars, int count, attr_t attributes, int pair) {
    cchar_t cell;
    setcchar(&cell, L" ", attributes, 0, &pair);
    memcpy(cell.chars, scalars, (size_t)count * sizeof *scalars);
    return cell;
}
