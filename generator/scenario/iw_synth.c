#include "iw_synth.h"

#include <string.h>

#include "iw_lua_member.h"
#include "iw_play.h"
#include "iw_reference.h"

enum { STARTUP_MS = 10000, SEND_OCTETS_MAX = 64 << 20, REGION_OCTETS = 65536 };

static const char host[] = "192.0.2.2";

struct side {
    struct iw_script *script;
    struct iw_scenario *scenario;
    struct iw_play_log log;
};

struct synth {
    const struct iw_synth_options *options;
    FILE *err;
    struct iw_loop *loop;
    struct iw_recorder *recorder;
    struct iw_reference *responder;
    struct side main, peer;
    struct iw_watch_disguise disguise;
    struct iw_impairment_plan impairment;
};

static enum iw_exit synth_fail(struct synth *synth, enum iw_exit code, const char *text) {
    fprintf(synth->err, "warpcheck: %s\n", text);
    return code;
}

static enum iw_exit synth_out_of_memory(struct synth *synth) {
    return synth_fail(synth, IW_EXIT_INTERNAL, "not enough memory");
}

static int synth_set_region(lua_State *lua) {
    const struct iw_region *region = lua_touserdata(lua, 1);

    lua_getglobal(lua, "peer");
    iw_lua_member_set_integer(lua, "stag", region->stag);
    iw_lua_member_set_integer(lua, "to", region->base);
    iw_lua_member_set_integer(lua, "size", region->size);
    iw_lua_member_set_string(lua, "verify", iw_hash_name(region->hash));
    return 0;
}

static void synth_stop_responder(void *user, struct iw_scenario *scenario) {
    struct synth *synth = (struct synth *)((char *)user - offsetof(struct synth, main.log));

    (void)scenario;
    iw_reference_free(synth->responder);
    synth->responder = NULL;
}

static unsigned synth_extensions(const struct iw_synth_options *options) {
    return options->has_extensions ? options->extensions : IW_EXT_DEFAULT;
}

static enum iw_exit synth_start_responder(struct synth *synth) {
    char text[IW_PORT_TEXT_OCTETS];
    struct iw_reference_config config = {
        .loop = synth->loop, .host = host, .port = IW_SYNTH_PORT, .endpoint = iw_reference_defaults()};

    config.endpoint.timeouts.startup_ms = STARTUP_MS;
    config.endpoint.receives.octets = SEND_OCTETS_MAX;
    config.endpoint.extensions = synth_extensions(synth->options);
    synth->responder = iw_reference_new(&config, text);
    if (synth->responder == NULL)
        return synth_fail(synth, IW_EXIT_INTERNAL, text);
    const struct iw_region *region = iw_reference_offer(synth->responder, 0, REGION_OCTETS, NULL);
    if (region == NULL)
        return synth_out_of_memory(synth);
    if (!iw_sandbox_call(iw_script_lua(synth->main.script), synth_set_region, region))
        return synth_out_of_memory(synth);
    return IW_EXIT_CONFORMS;
}

static enum iw_exit synth_load(struct synth *synth, struct side *side, const char *path) {
    const struct iw_sandbox_config sandbox = {.trust = synth->options->trust, .seed = synth->options->seed};
    char error[4096];

    side->script = iw_script_new(&sandbox);
    if (side->script == NULL || iw_script_set_peer(side->script, host, IW_SYNTH_PORT) != IW_OK ||
        iw_script_set_arguments(side->script, synth->options->arguments, synth->options->argument_count) !=
            IW_OK)
        return synth_out_of_memory(synth);
    if (iw_script_load(side->script, path, error, sizeof error) != IW_OK)
        return synth_fail(synth, IW_EXIT_ENVIRONMENT, error);
    return IW_EXIT_CONFORMS;
}

static enum iw_exit synth_start(struct synth *synth, struct side *side, bool watched) {
    struct iw_scenario_config config = {.script = side->script,
        .loop = synth->loop,
        .has_extensions = true,
        .extensions = synth_extensions(synth->options)};

    side->log = (struct iw_play_log){
        .out = synth->options->out == NULL ? stdout : synth->options->out, .quiet = synth->options->quiet};
    if (watched) {
        config.recorder = synth->recorder;
        config.disguise = &synth->disguise;
        config.hooks = iw_play_log_hooks(&side->log);
        config.hooks.listens = synth_stop_responder;
    }
    side->scenario = iw_scenario_new(&config);
    if (side->scenario == NULL || iw_scenario_start_script(side->scenario) != IW_OK)
        return synth_out_of_memory(synth);
    return IW_EXIT_CONFORMS;
}

static enum iw_exit synth_conclude(struct synth *synth) {
    enum iw_exit code = iw_play_conclude(&synth->main.log, synth->main.scenario, synth->err);

    if (synth->peer.scenario == NULL || iw_scenario_result(synth->peer.scenario)->outcome == IW_SCENARIO_OK)
        return code;
    fprintf(synth->peer.log.out, "the peer's script:\n");
    enum iw_exit peer = iw_play_conclude(&synth->peer.log, synth->peer.scenario, synth->err);
    return iw_exit_join(code, peer);
}

static enum iw_exit synth_make(struct synth *synth) {
    enum iw_exit code = synth_load(synth, &synth->main, synth->options->script);

    if (code == IW_EXIT_CONFORMS && synth->options->peer != NULL)
        code = synth_load(synth, &synth->peer, synth->options->peer);
    if (code != IW_EXIT_CONFORMS)
        return code;
    if (iw_play_overwrites(synth->options->output, synth->options->script, synth->err) ||
        iw_play_overwrites(synth->options->output, synth->options->peer, synth->err))
        return IW_EXIT_ENVIRONMENT;
    char text[IW_RECORDER_TEXT_OCTETS];
    synth->recorder = iw_recorder_open(synth->options->output, &synth->impairment, text);
    if (synth->recorder == NULL)
        return synth_fail(synth, IW_EXIT_ENVIRONMENT, text);
    iw_recorder_tell(synth->recorder, iw_play_report_trouble, synth->err);
    synth->loop = iw_loop_new(IW_LOOP_VIRTUAL);
    if (synth->loop == NULL)
        return synth_out_of_memory(synth);
    code =
        synth->options->peer != NULL ? synth_start(synth, &synth->peer, false) : synth_start_responder(synth);
    if (code == IW_EXIT_CONFORMS)
        code = synth_start(synth, &synth->main, true);
    if (code != IW_EXIT_CONFORMS)
        return code;
    /* In memory nothing arrives from outside: a loop that has run out of events stays idle. */
    iw_scenario_run(synth->main.scenario);
    if (synth->peer.scenario != NULL)
        iw_scenario_run(synth->peer.scenario);
    return synth_conclude(synth);
}

static void synth_side_release(struct side *side) {
    iw_scenario_free(side->scenario);
    iw_script_free(side->script);
    iw_play_log_dispose(&side->log);
}

enum iw_exit iw_synth(const struct iw_synth_options *options) {
    struct synth synth = {.options = options, .err = options->err == NULL ? stderr : options->err};

    synth.disguise =
        (struct iw_watch_disguise){.isn = {1000, 2000}, .segment_octets = IW_SYNTH_SEGMENT_OCTETS};
    synth.disguise.sctp = options->sctp;
    synth.impairment = options->impairment;
    synth.impairment.seed = options->seed != 0 ? options->seed : 1;
    if (options->has_isn)
        memcpy(synth.disguise.isn, options->isn, sizeof synth.disguise.isn);
    enum iw_exit code = synth_make(&synth);
    synth_side_release(&synth.main);
    synth_side_release(&synth.peer);
    iw_reference_free(synth.responder);
    iw_loop_free(synth.loop);
    return iw_recorder_close(synth.recorder, NULL) == IW_OK ? code : IW_EXIT_ENVIRONMENT;
}
