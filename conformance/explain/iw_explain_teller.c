#include "iw_explain.h"
#include "iw_explain_kept.h"

/* check --explain */

static void teller_note(struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    stream->story = iw_explain_kept_event(stream->story, stream, event);
}

static char *teller_tell(struct iw_check_stream *stream, const struct iw_check_chain *chain, bool jsonl) {
    struct iw_explain_kept *kept = stream->story;
    struct iw_explained explained;
    struct iw_text text;

    stream->story = NULL;
    if (!iw_explain_kept_finish(kept, stream, chain, NULL, &explained))
        return NULL;
    if (iw_text_open(&text))
        (jsonl ? iw_explain_jsonl_story : iw_explain_text_body)(text.out, &explained);
    iw_explain_kept_free(kept);
    return iw_text_close(&text);
}

static void teller_drop(struct iw_check_stream *stream) {
    iw_explain_kept_free(stream->story);
    stream->story = NULL;
}

const struct iw_check_teller iw_explain_teller = {teller_note, teller_tell, teller_drop};
