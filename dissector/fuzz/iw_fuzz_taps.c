#include "iw_fuzz_taps.h"

#include "iw_epan.h"

#include <epan/tap.h>

static tap_packet_status take(
    void *listener, packet_info *pinfo, epan_dissect_t *dissection, const void *data, tap_flags_t flags) {
    (void)listener;
    (void)pinfo;
    (void)dissection;
    (void)flags;
    return data == NULL ? TAP_PACKET_DONT_REDRAW : TAP_PACKET_REDRAW;
}

void iw_fuzz_taps_listen(void) {
    GList *names = get_tap_names();

    for (GList *name = names; name != NULL; name = name->next)
        if (g_str_has_prefix(name->data, "iwarp")) {
            GString *wrong =
                register_tap_listener(name->data, name, NULL, TL_REQUIRES_PROTO_TREE, NULL, take, NULL, NULL);

            if (wrong != NULL)
                g_error("%s: %s", (const char *)name->data, wrong->str);
        }
}
