#include "iw_fuzz_session.h"

#include "iw_epan.h"

#include <epan/column-info.h>
#include <epan/column.h>
#include <epan/epan.h>
#include <epan/epan_dissect.h>
#include <epan/prefs.h>
#include <epan/tap.h>
#include <epan/timestamp.h>
#include <wiretap/wtap.h>
#include <wsutil/filesystem.h>
#include <wsutil/privileges.h>
#include <wsutil/report_message.h>
#include <wsutil/wslog.h>

#include "iw_fuzz_quick.h"
#include "iw_fuzz_rendered.h"
#include "iw_fuzz_taps.h"
#include "packet-iwarp.h"

/* Wireshark asks for these data about the open file. */
struct packet_provider_data {
    frame_data *frames;
    unsigned count;
};

/* One pass over the file. */
struct pass {
    epan_t *epan;
    const struct iw_packet *packets;
    struct packet_provider_data *file;
    epan_dissect_t *dissection;
    column_info *columns; /* or NULL */
    const frame_data *reference;
    const frame_data *shown;
    nstime_t elapsed;
    uint32_t octets;
};

static column_info columns;

/* ---- starting ---- */

static void report(const char *format, va_list arguments) {
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

/* Switches off all heuristics except those of iWARP and of its upper protocols: the others would take most
 * of the time for traffic other than iWARP. */
static void turn_off(const gchar *table, heur_dtbl_entry_t *entry, gpointer data) {
    (void)data;
    if (strcmp(table, "iwarp_ddp_rdmap") != 0 && strncmp(entry->short_name, "iwarp", 5) != 0)
        entry->enabled = FALSE;
}

static void turn_off_table(const char *name, struct heur_dissector_list *list, gpointer data) {
    (void)list;
    heur_dissector_table_foreach(name, turn_off, data);
}

bool iw_fuzz_session_start(void) {
    static const struct report_message_routines routines = {
        .vreport_failure = report, .vreport_warning = report};

    ws_log_init("iwarp_fuzz", NULL);
    ws_log_set_level(LOG_LEVEL_WARNING);
    ws_log_set_fatal(LOG_LEVEL_CRITICAL);
    init_process_policies();
    g_free(configuration_init("iwarp_fuzz", NULL));
    timestamp_set_type(TS_RELATIVE);
    timestamp_set_precision(TS_PREC_AUTO);
    timestamp_set_seconds_type(TS_SECONDS_DEFAULT);
    init_report_message("iwarp_fuzz", &routines);
    wtap_init(FALSE);
    plugin_register();
    if (!epan_init(NULL, NULL, FALSE))
        return false;
    build_column_format_array(&columns, epan_load_settings()->num_cols, TRUE);
    dissector_all_heur_tables_foreach_table(turn_off_table, NULL, NULL);
    iw_fuzz_quick_start();
    iw_fuzz_taps_listen();
    return true;
}

void iw_fuzz_session_end(void) {
    iw_fuzz_taps_close();
    col_cleanup(&columns);
    epan_cleanup();
    wtap_cleanup();
}

/* ---- preferences ---- */

static void prefer(const char *name, const char *value) {
    char *preference = g_strdup_printf("%s:%s", name, value);
    char *wrong = NULL;

    if (prefs_set_pref(preference, &wrong) != PREFS_SET_OK)
        g_error("%s cannot be set: %s", preference, wrong == NULL ? "" : wrong);
    g_free(wrong);
    g_free(preference);
}

static void prefer_term(const char *name, unsigned term) {
    static const char *const terms[] = {"negotiated", "on", "off", "negotiated"};

    prefer(name, terms[term & 3]);
}

static void prefer_all(const struct iw_fuzz_scene *scene) {
    static const char *const on[] = {"iwarp.extension_7306", "iwarp.extension_talpey",
        "iwarp.extension_storm", "iwarp.builtin_off", "iwarp.show_errors", "iwarp.show_notes"};

    prefer_term("iwarp.crc", scene->terms);
    prefer_term("iwarp.markers_initiator", scene->terms >> 2);
    prefer_term("iwarp.markers_responder", scene->terms >> 4);
    prefer("iwarp.reassemble", scene->terms & 0x40 ? "FALSE" : "TRUE");
    prefer("iwarp.resynchronise", scene->terms & 0x80 ? "FALSE" : "TRUE");
    for (unsigned i = 0; i < array_length(on); i++)
        prefer(on[i], scene->switches >> i & 1 ? "FALSE" : "TRUE");
    prefer("iwarp.extension_talpey5", scene->switches & 0x40 ? "TRUE" : "FALSE");
    prefer("iwarp.upper", scene->switches & 0x80 ? "judge" : "off");
    prefer("iwarp.keep_memory", scene->switches & 0x80 ? "TRUE" : "FALSE");
}

void iw_fuzz_session_prefer(const struct iw_fuzz_scene *scene) {
    static struct iw_fuzz_scene set;

    if (scene->terms == set.terms && scene->switches == set.switches)
        return;
    prefer_all(scene);
    prefs_apply_all();
    set = *scene;
}

/* ---- the file ---- */

static const nstime_t *frame_time(struct packet_provider_data *file, guint32 number) {
    return number > 0 && number <= file->count ? &file->frames[number - 1].abs_ts : NULL;
}

static int encapsulation_of(enum iw_link link) {
    static const int encapsulations[] = {
        [IW_LINK_ETHERNET] = WTAP_ENCAP_ETHERNET,
        [IW_LINK_SLL] = WTAP_ENCAP_SLL,
        [IW_LINK_SLL2] = WTAP_ENCAP_SLL2,
        [IW_LINK_LOOPBACK] = WTAP_ENCAP_NULL,
        [IW_LINK_IP] = WTAP_ENCAP_RAW_IP,
    };

    return encapsulations[link];
}

static void describe(wtap_rec *record, const struct iw_packet *packet) {
    wtap_rec_init(record);
    record->rec_type = REC_TYPE_PACKET;
    record->presence_flags = WTAP_HAS_TS | WTAP_HAS_CAP_LEN;
    record->ts.secs = (time_t)(packet->time_ns / 1000000000);
    record->ts.nsecs = (int)(packet->time_ns % 1000000000);
    record->rec_header.packet_header.caplen = packet->captured;
    record->rec_header.packet_header.len = packet->length;
    record->rec_header.packet_header.pkt_encap = encapsulation_of(packet->link);
}

static struct iw_fuzz_rendered show(struct pass *pass, unsigned which) {
    const struct iw_packet *packet = &pass->packets[which];
    frame_data *frame = &pass->file->frames[which];
    struct iw_fuzz_rendered rendered;
    wtap_rec record;

    describe(&record, packet);
    frame_data_set_before_dissect(frame, &pass->elapsed, &pass->reference, pass->shown);
    epan_dissect_run_with_taps(pass->dissection, WTAP_FILE_TYPE_SUBTYPE_UNKNOWN, &record,
        tvb_new_real_data(packet->octets, packet->captured, (gint)packet->length), frame, pass->columns);
    if (pass->columns != NULL)
        epan_dissect_fill_in_columns(pass->dissection, FALSE, TRUE);
    rendered = iw_fuzz_rendered_of(pass->dissection->tree);
    frame_data_set_after_dissect(frame, &pass->octets);
    pass->shown = frame;
    epan_dissect_reset(pass->dissection);
    wtap_rec_cleanup(&record);
    return rendered;
}

static void begin_pass(struct pass *pass, bool visible) {
    pass->columns = visible ? &columns : NULL;
    pass->dissection = epan_dissect_new(pass->epan, visible, visible);
    pass->reference = NULL;
    pass->shown = NULL;
    nstime_set_zero(&pass->elapsed);
    pass->octets = 0;
}

static void end_pass(struct pass *pass) {
    epan_dissect_free(pass->dissection);
}

/* ---- passes ---- */

static void first_pass(struct pass *pass, bool visible) {
    begin_pass(pass, visible);
    for (unsigned i = 0; i < pass->file->count; i++) {
        const struct iw_packet *packet = &pass->packets[i];
        wtap_rec record;

        describe(&record, packet);
        frame_data_init(&pass->file->frames[i], i + 1, &record, 0, pass->octets);
        wtap_rec_cleanup(&record);
        show(pass, i);
    }
    end_pass(pass);
    postseq_cleanup_all_protocols();
}

static void second_pass(struct pass *pass, struct iw_fuzz_rendered *rendered) {
    begin_pass(pass, true);
    reset_tap_listeners();
    for (unsigned i = 0; i < pass->file->count; i++)
        rendered[i] = show(pass, i);
    draw_tap_listeners(TRUE);
    end_pass(pass);
}

/* Shows the frames in any order, as a user may select them. */
static void third_pass(struct pass *pass, const struct iw_fuzz_rendered *rendered, uint32_t order) {
    begin_pass(pass, true);
    for (unsigned i = 0; i < pass->file->count; i++) {
        unsigned which;

        order = order * 1664525 + 1013904223;
        which = order / 65536 % pass->file->count;
        iw_fuzz_rendered_same(which + 1, rendered[which], show(pass, which));
    }
    end_pass(pass);
}

void iw_fuzz_session_run(const struct iw_packet *packets, unsigned count, uint8_t order) {
    static const struct packet_provider_funcs functions = {.get_frame_ts = frame_time};
    struct iw_fuzz_rendered *rendered = g_new0(struct iw_fuzz_rendered, count);
    struct packet_provider_data file = {g_new0(frame_data, count), count};
    struct pass pass = {.packets = packets, .file = &file};

    pass.epan = epan_new(&file, &functions);
    first_pass(&pass, order & 1);
    second_pass(&pass, rendered);
    if (order & 2)
        third_pass(&pass, rendered, order);
    for (unsigned i = 0; i < count; i++)
        frame_data_destroy(&file.frames[i]);
    epan_free(pass.epan);
    g_free(file.frames);
    g_free(rendered);
}
