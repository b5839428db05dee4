// The X11 protocol and its XFixes extension, which reports new owners of selections (Debian: libxcb-xfixes0-dev).
#pragma once
#if !__has_include(<xcb/xfixes.h>)
#error "swift-ipc needs XCB with XFixes. On Debian: sudo apt install libxcb-xfixes0-dev"
#endif
#include <xcb/xcb.h>
#include <xcb/xfixes.h>

// Returns the server's description of XFixes. Do not free it. This is in C because the extension's id is a variable,
// which Swift treats as shared mutable state.
static inline const xcb_query_extension_reply_t *cxcb_xfixes(xcb_connection_t *connection) {
    return xcb_get_extension_data(connection, &xcb_xfixes_id);
}
