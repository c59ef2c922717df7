#include "iw_agent_test.h"

static int begin_pair(void **state) {
    struct pair *pair = calloc(1, sizeof *pair);

    pair->loop = iw_loop_new(IW_LOOP_VIRTUAL);
    begin_parties(pair);
    *state = pair;
    return 0;
}

static void connect_to(struct pair *pair, struct party *from, const struct party *to) {
    char text[128];

    snprintf(text, sizeof text, "{'op':'connect','host':'127.0.0.1','port':%u}", iw_agent_port(to->agent));
    ask_for(from, text, "{'connection':1}");
    iw_loop_run(pair->loop);
    expect_event(from, "established", "{'connection':1,'crc':true}");
    expect_event(&pair->device == from ? &pair->other : &pair->device, "established", "{'connection':1}");
}

static void a_hello_tells_what_the_agent_can(void **state) {
    struct pair *pair = *state;
    json_t *answer = ask(&pair->device, "{'op':'hello','version':1}");

    check_has(answer,
        "{'version':1,'extensions':['7306','talpey','storm'],'hashes':['crc32c','sha256','sha512'],"
        "'rights':['read','write','atomic','persist','expose','verify','invalidate'],"
        "'abilities':['half_close','invalidate'],"
        "'events':['requested','established','rejected','message','completed','terminate','error','closed']"
        "}");
    check_has(json_object_get(answer, "limits"),
        "{'line':1048576,'requests':64,'data':262144,'region':16777216,'regions':268435456}");
    assert_int_equal(json_integer_value(json_object_get(answer, "port")), iw_agent_port(pair->device.agent));
    assert_int_equal(json_array_size(json_object_get(answer, "operations")), 16);
    assert_int_equal(json_array_size(json_object_get(answer, "messages")), 14);
    json_decref(answer);
    refused(&pair->device, "{'op':'hello','version':2}", "version", "version", "version of this agent is 1");
    refused(&pair->device, "{'op':'hello'}", "argument", "version", "version is missing");
}

static void what_is_wrong_with_a_request_is_named(void **state) {
    struct party *device = &((struct pair *)*state)->device;

    refused(device, "{}", "argument", "op", "op is missing");
    refused(device, "{'op':7}", "argument", "op", "op takes a text");
    refused(device, "{'op':'frob'}", "unsupported", "op", "op is unknown to this agent: frob");
    refused(device, "{'op':'ping','loud':true}", "argument", NULL, "ping has no field loud");
    refused(
        device, "{'op':'register','size':0}", "argument", "size", "size takes an integer from 1 to 16777216");
    refused(device, "{'op':'register','size':1.5}", "argument", "size",
        "size takes an integer from 1 to 16777216");
    refused(device, "{'op':'register','size':-1}", "argument", "size",
        "size takes an integer from 1 to 16777216");
    refused(device, "{'op':'register','to':65536}", "argument", "to",
        "to takes \"0x\" and 1 to 16 hexadecimal digits, as a text");
    refused(device, "{'op':'register','to':'0x'}", "argument", "to",
        "to takes \"0x\" and 1 to 16 hexadecimal digits, as a text");
    refused(device, "{'op':'register','fill':'abc'}", "argument", "fill",
        "fill takes at most 262144 octets, two hexadecimal digits each");
    refused(device, "{'op':'register','fill':'ag'}", "argument", "fill",
        "fill takes at most 262144 octets, two hexadecimal digits each");
    refused(device, "{'op':'register','rights':'read'}", "argument", "rights",
        "rights takes a list of read, write, atomic, persist, expose, verify, invalidate");
    refused(device, "{'op':'register','rights':['read','fly']}", "argument", "rights",
        "rights takes a list of read, write, atomic, persist, expose, verify, invalidate, not fly");
    refused(device, "{'op':'register','hash':'md5'}", "argument", "hash",
        "hash takes one of crc32c, sha256, sha512, not md5");
    refused(device, "{'op':'register','domain':'mine'}", "argument", "domain",
        "domain takes one of own, other, not mine");
    refused(device, "{'op':'register','rights':['verify']}", "memory", NULL, "Verify needs a hash algorithm");
    refused(device, "{'op':'configure','markers':1}", "argument", "markers", "markers takes true or false");
    refused(device, "{'op':'read','stag':1,'size':1}", "region", "stag", "stag does not name a region");
    refused(device, "{'op':'post','message':'send'}", "connection", NULL, "no connection is open");
    refused(device, "{'op':'close','connection':3}", "connection", "connection", "connection is not open");
    refused(device, "{'op':'connect','host':'127.0.0.1'}", "argument", "port", "port is missing");
}

static void a_request_that_is_none_has_an_answer(void **state) {
    struct party *device = &((struct pair *)*state)->device;
    static const char *const wrong[] = {"[]", "[1]", "{'id':'seven','op':'ping'}", "{'op':'ping'}"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        json_t *request = parse(wrong[i]), *answer = iw_agent_execute(device->agent, request);

        check_has(answer, "{'id':null}");
        assert_non_null(json_object_get(answer, "error"));
        json_decref(request);
        json_decref(answer);
    }
}

/* FIPS 180-2, B.1: the SHA-256 of "abc". */
static void memory_is_written_read_and_hashed(void **state) {
    struct party *device = &((struct pair *)*state)->device;

    ask_for(device, "{'op':'register','stag':256,'size':8,'to':'0xffffffffffffff00','fill':'616263'}",
        "{'stag':256,'to':'0xffffffffffffff00','size':8}");
    ask_for(device, "{'op':'read','stag':256,'size':8}", "{'data':'6162636162636162'}");
    ask_for(device, "{'op':'write','stag':256,'offset':6,'data':'00FF'}", "{}");
    ask_for(device, "{'op':'read','stag':256,'offset':5,'size':3}", "{'data':'6300ff'}");
    ask_for(device, "{'op':'hash','stag':256,'size':3,'hash':'sha256'}",
        "{'hash':'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'}");
    refused(device, "{'op':'read','stag':256,'offset':5,'size':4}", "argument", "offset",
        "offset and the octets from there exceed the region");
    refused(device, "{'op':'write','stag':256,'offset':7,'data':'0000'}", "argument", "offset",
        "offset and the octets from there exceed the region");
    refused(device, "{'op':'read','stag':256,'size':1,'medium':true}", "argument", "medium",
        "medium does not exist for volatile memory");
    refused(device, "{'op':'register','stag':256}", "memory", NULL, "the STag is in use");
    ask_for(device, "{'op':'deregister','stag':256}", "{}");
    refused(device, "{'op':'deregister','stag':256}", "region", "stag", "stag does not name a region");
}

static void all_memory_is_bounded(void **state) {
    struct party *device = &((struct pair *)*state)->device;

    for (int i = 0; i < 16; i++)
        ask_for(device, "{'op':'register','size':16777216}", "{'size':16777216}");
    refused(device, "{'op':'register','size':1}", "memory", "size",
        "size plus the earlier regions exceeds 268435456 octets");
}

static void regions_are_bounded_in_number(void **state) {
    struct party *device = &((struct pair *)*state)->device;

    for (int i = 0; i < 10000; i++)
        ask_for(device, "{'op':'register','size':1}", "{'size':1}");
    refused(device, "{'op':'register','size':1}", "memory", NULL, "the limit of 10000 regions is reached");
    ask_for(device, "{'op':'deregister','stag':256}", "{}");
    ask_for(device, "{'op':'register','size':1}", "{'size':1}");
}

static void a_refused_configuration_changes_nothing(void **state) {
    struct pair *pair = *state;

    refused(&pair->device, "{'op':'configure','markers':true,'rtr':['fly']}", "argument", "rtr",
        "rtr takes a list of send, write, read, not fly");
    connect_to(pair, &pair->device, &pair->other);
    ask_for(&pair->other, "{'op':'abort'}", "{}");
    iw_loop_run(pair->loop);
    expect_event(&pair->device, "closed", "{'how':'rst','connection':1}");
    no_event(&pair->other, "closed");
    refused(&pair->other, "{'op':'abort'}", "connection", NULL, "no connection is open");
}

static void the_settings_of_a_connection_are_the_ulps(void **state) {
    struct pair *pair = *state;
    char text[128];

    ask_for(&pair->device,
        "{'op':'configure','rev':2,'enhanced':true,'markers':true,'crc':false,'ird':3,'ord':4,"
        "'peer_to_peer':true,'rtr':['write'],'private_data':'6869'}",
        "{}");
    ask_for(&pair->other, "{'op':'configure','crc':false,'ird':5,'ord':9}", "{}");
    snprintf(
        text, sizeof text, "{'op':'connect','host':'127.0.0.1','port':%u}", iw_agent_port(pair->other.agent));
    ask_for(&pair->device, text, "{'connection':1}");
    iw_loop_run(pair->loop);
    /* RFC 6581 9.1: the responder's ORD is no more than the initiator's IRD */
    expect_event(&pair->device, "established",
        "{'rev':2,'crc':false,'markers_in':true,'markers_out':false,'enhanced':true,'peer_to_peer':true,"
        "'rtr':['write'],'ird':3,'ord':4}");
    expect_event(&pair->other, "established", "{'markers_out':true,'ord':3}");
}

static void a_request_waits_for_the_ulp(void **state) {
    struct pair *pair = *state;
    char text[128];

    ask_for(&pair->other, "{'op':'configure','hold':true}", "{}");
    snprintf(
        text, sizeof text, "{'op':'connect','host':'127.0.0.1','port':%u}", iw_agent_port(pair->other.agent));
    ask_for(&pair->device, text, "{'connection':1}");
    ask_for(&pair->device, text, "{'connection':2}");
    run_for_a_while(pair->loop);
    expect_event(&pair->other, "requested", "{'connection':1}");
    expect_event(&pair->other, "requested", "{'connection':2}");
    no_event(&pair->device, "established");
    ask_for(&pair->other, "{'op':'answer','connection':1}", "{}");
    ask_for(&pair->other, "{'op':'answer','connection':2,'reject':true}", "{}");
    run_for_a_while(pair->loop);
    expect_event(&pair->device, "established", "{'connection':1}");
    expect_event(&pair->device, "rejected", "{'connection':2}");
    refused(&pair->other, "{'op':'answer','connection':1}", "connection", NULL,
        "the connection has no pending Request");
}

static void messages_are_delivered_and_completed(void **state) {
    struct pair *pair = *state;

    ask_for(&pair->other, "{'op':'register','stag':512,'size':8}", "{}");
    connect_to(pair, &pair->device, &pair->other);
    ask_for(&pair->device, "{'op':'post','message':'send','data':'68656c6c6f'}", "{'post':1}");
    ask_for(&pair->device, "{'op':'post','message':'send_se_inv','invalidate':512}", "{'post':2}");
    ask_for(&pair->device, "{'op':'post','message':'immediate','data':'0102030405060708'}", "{'post':3}");
    refused(&pair->device, "{'op':'post','message':'immediate','data':'01'}", "argument", "data",
        "data takes 8 octets");
    refused(&pair->device, "{'op':'post','message':'send_inv'}", "argument", "invalidate",
        "invalidate is missing");
    iw_loop_run(pair->loop);
    expect_event(&pair->other, "message", "{'message':'send','msn':1,'size':5,'data':'68656c6c6f'}");
    expect_event(&pair->other, "message", "{'message':'send_se_inv','msn':2,'invalidate':512,'data':''}");
    expect_event(&pair->other, "message", "{'message':'immediate','msn':3,'data':'0102030405060708'}");
    for (int i = 1; i <= 3; i++) {
        char part[64];

        snprintf(part, sizeof part, "{'post':%d,'status':'done','connection':1}", i);
        expect_event(&pair->device, "completed", part);
    }
    ask_for(&pair->device, "{'op':'close'}", "{}");
    iw_loop_run(pair->loop);
    expect_event(&pair->other, "closed", "{'how':'fin'}");
}

/* RFC 5041 8.2: only that stream may use the region; a later stream may be at the same memory address. */
static void a_region_of_a_connection_ends_with_it(void **state) {
    struct pair *pair = *state;
    char text[128];

    connect_to(pair, &pair->device, &pair->other);
    ask_for(&pair->other, "{'op':'register','stag':512,'connection':1}", "{}");
    ask_for(&pair->device, "{'op':'post','message':'write','stag':512,'to':'0x10000','data':'61'}", "{}");
    iw_loop_run(pair->loop);
    ask_for(&pair->other, "{'op':'read','stag':512,'size':1}", "{'data':'61'}");
    ask_for(&pair->other, "{'op':'abort'}", "{}");
    iw_loop_run(pair->loop);
    snprintf(
        text, sizeof text, "{'op':'connect','host':'127.0.0.1','port':%u}", iw_agent_port(pair->other.agent));
    ask_for(&pair->device, text, "{'connection':2}");
    ask_for(&pair->device, "{'op':'post','message':'write','stag':512,'to':'0x10000','data':'62'}", "{}");
    iw_loop_run(pair->loop);
    expect_event(&pair->other, "error", "{'connection':2,'error':'1/1/02','terminates':true}");
    ask_for(&pair->other, "{'op':'read','stag':512,'size':1}", "{'data':'61'}");
}

static void every_request_of_the_ulp_has_its_result(void **state) {
    struct pair *pair = *state;

    ask_for(&pair->other,
        "{'op':'register','stag':256,'size':16,'to':'0x0','persistent':true,'hash':'crc32c',"
        "'rights':['read','write','atomic','persist','expose','verify']}",
        "{}");
    ask_for(&pair->device, "{'op':'register','stag':1,'size':8,'rights':[]}", "{}");
    connect_to(pair, &pair->device, &pair->other);
    ask_for(
        &pair->device, "{'op':'post','message':'write','stag':256,'to':'0x8','data':'616263'}", "{'post':1}");
    ask_for(&pair->device, "{'op':'post','message':'atomic_write','stag':256,'to':'0x0','value':'0x5'}",
        "{'post':2}");
    ask_for(
        &pair->device, "{'op':'post','message':'fetch_add','stag':256,'to':'0x0','add':'0x2'}", "{'post':3}");
    ask_for(&pair->device,
        "{'op':'post','message':'cmp_swap','stag':256,'to':'0x0','compare':'0x7','swap':'0xffffffffffffffff'"
        "}",
        "{'post':4}");
    ask_for(&pair->device, "{'op':'post','message':'swap','stag':256,'to':'0x0','swap':'0x9'}", "{'post':5}");
    ask_for(&pair->device, "{'op':'post','message':'flush','stag':256,'to':'0x8','size':3}", "{'post':6}");
    ask_for(&pair->device, "{'op':'post','message':'verify','stag':256,'to':'0x8','size':3}", "{'post':7}");
    ask_for(&pair->device, "{'op':'post','message':'read','sink_stag':1,'source_stag':256,'source_to':'0x8'}",
        "{'post':8}");
    iw_loop_run(pair->loop);
    expect_event(&pair->device, "completed", "{'post':1,'status':'done'}");
    expect_event(&pair->device, "completed", "{'post':2,'status':'done'}");
    expect_event(&pair->device, "completed", "{'post':3,'original':'0x5'}");
    expect_event(&pair->device, "completed", "{'post':4,'original':'0x7'}");
    expect_event(&pair->device, "completed", "{'post':5,'original':'0xffffffffffffffff'}");
    expect_event(&pair->device, "completed", "{'post':6,'status':'done'}");
    /* CRC32C of "abc" is 364b3fb7, least significant octet first */
    expect_event(&pair->device, "completed", "{'post':7,'hash':'b73f4b36'}");
    expect_event(&pair->device, "completed", "{'post':8,'status':'done'}");
    ask_for(&pair->device, "{'op':'read','stag':1,'size':8}", "{'data':'6162630000000000'}");
    ask_for(&pair->other, "{'op':'read','stag':256,'offset':8,'size':8,'medium':true}",
        "{'data':'6162630000000000'}");
}

static void what_cannot_be_done_any_more_is_flushed(void **state) {
    struct pair *pair = *state;

    connect_to(pair, &pair->device, &pair->other);
    ask_for(&pair->device, "{'op':'post','message':'write','stag':3,'to':'0x0','data':'00'}", "{'post':1}");
    iw_loop_run(pair->loop);
    expect_event(&pair->other, "error", "{'error':'1/1/00','terminates':true}");
    expect_event(&pair->device, "terminate", "{'error':'1/1/00','connection':1}");
    expect_event(&pair->device, "completed", "{'post':1,'status':'done'}");
    expect_event(&pair->device, "closed", "{'how':'fin'}");
}

static void an_stag_may_be_for_another_stream_or_for_one(void **state) {
    struct pair *pair = *state;

    ask_for(&pair->other, "{'op':'register','stag':256,'size':8,'stream':'other'}", "{}");
    connect_to(pair, &pair->device, &pair->other);
    ask_for(&pair->other, "{'op':'register','stag':512,'size':8,'to':'0x0','connection':1}", "{}");
    refused(&pair->other, "{'op':'register','connection':2}", "connection", "connection",
        "connection is not open");
    ask_for(&pair->device, "{'op':'post','message':'write','stag':512,'data':'00'}", "{'post':1}");
    ask_for(
        &pair->device, "{'op':'post','message':'write','stag':256,'to':'0x10000','data':'00'}", "{'post':2}");
    iw_loop_run(pair->loop);
    expect_event(&pair->device, "terminate", "{'error':'1/1/02'}");
    no_event(&pair->device, "error");
}

static void an_stag_may_be_of_another_protection_domain(void **state) {
    struct pair *pair = *state;

    ask_for(&pair->other, "{'op':'register','stag':256,'size':8,'domain':'own'}", "{}");
    ask_for(&pair->other, "{'op':'register','stag':512,'size':8,'domain':'other'}", "{}");
    connect_to(pair, &pair->device, &pair->other);
    ask_for(
        &pair->device, "{'op':'post','message':'write','stag':256,'to':'0x10000','data':'00'}", "{'post':1}");
    ask_for(
        &pair->device, "{'op':'post','message':'write','stag':512,'to':'0x10000','data':'00'}", "{'post':2}");
    iw_loop_run(pair->loop);
    expect_event(&pair->other, "error", "{'error':'1/1/02','terminates':true}");
    no_event(&pair->other, "error");
}

static void receive_buffers_are_as_many_as_asked_for(void **state) {
    struct pair *pair = *state;

    ask_for(&pair->other, "{'op':'receives','count':1,'size':4}", "{}");
    connect_to(pair, &pair->device, &pair->other);
    ask_for(&pair->other, "{'op':'receives','count':1,'size':4}", "{}");
    for (int i = 1; i <= 3; i++) {
        char part[64];

        snprintf(part, sizeof part, "{'post':%d}", i);
        ask_for(&pair->device, "{'op':'post','message':'send','data':'01'}", part);
    }
    iw_loop_run(pair->loop);
    expect_event(&pair->other, "message", "{'msn':1}");
    expect_event(&pair->other, "message", "{'msn':2}");
    no_event(&pair->other, "message");
    expect_event(&pair->device, "terminate", "{'error':'1/2/02'}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_pair, end_pair)

/* Nothing is sent before the connection is established, so all posts wait. */
static void what_waits_to_be_sent_is_bounded(void **state) {
    /* One more post does not fit: each also counts its own size. */
    enum { OCTETS = 262144, FIT = 64 * 4 - 1 };
    struct pair *pair = *state;
    char *text = malloc(2 * OCTETS + 100), *at = text, connect[128];

    snprintf(connect, sizeof connect, "{'op':'connect','host':'127.0.0.1','port':%u}",
        iw_agent_port(pair->other.agent));
    ask_for(&pair->device, connect, "{'connection':1}");
    at += sprintf(at, "{'op':'post','message':'send','data':'");
    memset(at, '0', 2 * OCTETS);
    strcpy(at + 2 * OCTETS, "'}");
    for (int i = 0; i < FIT; i++)
        ask_for(&pair->device, text, "{}");
    refused(&pair->device, text, "memory", "data",
        "data plus the octets waiting to be sent exceeds 67108864 octets");
    ask_for(&pair->device, "{'op':'post','message':'send','data':'61'}", "{'post':256}");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_hello_tells_what_the_agent_can),
        TEST(what_is_wrong_with_a_request_is_named),
        TEST(a_request_that_is_none_has_an_answer),
        TEST(memory_is_written_read_and_hashed),
        TEST(all_memory_is_bounded),
        TEST(regions_are_bounded_in_number),
        TEST(a_refused_configuration_changes_nothing),
        TEST(the_settings_of_a_connection_are_the_ulps),
        TEST(a_request_waits_for_the_ulp),
        TEST(messages_are_delivered_and_completed),
        TEST(a_region_of_a_connection_ends_with_it),
        TEST(every_request_of_the_ulp_has_its_result),
        TEST(what_cannot_be_done_any_more_is_flushed),
        TEST(an_stag_may_be_for_another_stream_or_for_one),
        TEST(an_stag_may_be_of_another_protection_domain),
        TEST(receive_buffers_are_as_many_as_asked_for),
        TEST(what_waits_to_be_sent_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
