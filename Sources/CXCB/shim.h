// The X11 protocol and its extension XFixes, of which the bridge needs the selections (Debian: libxcb-xfixes0-dev).
#pragma once
#include <xcb/xcb.h>
#include <xcb/xfixes.h>

// The extension's id is a variable, which Swift takes for shared state: what the server says of XFixes; no room is to be freed.
static inline const xcb_query_extension_reply_t *cxcb_xfixes(xcb_connection_t *connection) {
    return xcb_get_extension_data(connection, &xcb_xfixes_id);
}
