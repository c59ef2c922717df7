#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "iw_tls.h"

/* Two sides in memory, which prove by a key or by certificates who they are, and a hostile peer of each. */

static char folder[] = "/tmp/iw_tls_test.XXXXXX";
static char psk[64], other_psk[64], ca[64], other_ca[64], cert[64], key[64], client_cert[64], client_key[64];

/* ---- files ---- */

static void name_file(char path[64], const char *name) {
    snprintf(path, 64, "%s/%s", folder, name);
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void write_certificate(const char *path, X509 *certificate) {
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(PEM_write_X509(file, certificate), 1);
    fclose(file);
}

static void write_key(const char *path, EVP_PKEY *private_key) {
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(PEM_write_PrivateKey(file, private_key, NULL, NULL, 0, NULL, NULL), 1);
    fclose(file);
}

static void add_extension(X509 *certificate, int kind, const char *value) {
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, kind, value);

    assert_non_null(extension);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

/* `issuer` NULL: a certificate authority, which signs itself. `names`: those of a server, or NULL. */
static X509 *make_certificate(
    EVP_PKEY *own, X509 *issuer, EVP_PKEY *issuer_key, const char *name, const char *names) {
    X509 *certificate = X509_new();

    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, own);
    X509_NAME_add_entry_by_txt(
        X509_get_subject_name(certificate), "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
    X509_set_issuer_name(certificate, X509_get_subject_name(issuer ? issuer : certificate));
    if (!issuer)
        add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE");
    if (names)
        add_extension(certificate, NID_subject_alt_name, names);
    assert_true(X509_sign(certificate, issuer_key, EVP_sha256()) > 0);
    return certificate;
}

static int begin(void **state) {
    EVP_PKEY *keys[4];
    X509 *certificates[4];

    (void)state;
    assert_non_null(mkdtemp(folder));
    name_file(psk, "psk");
    name_file(other_psk, "other-psk");
    name_file(ca, "ca");
    name_file(other_ca, "other-ca");
    name_file(cert, "cert");
    name_file(key, "key");
    name_file(client_cert, "client-cert");
    name_file(client_key, "client-key");
    write_text(psk, "00112233445566778899aabbccddeeff\n");
    write_text(other_psk, "00112233445566778899AABBCCDDEEFE");
    for (int i = 0; i < 4; i++)
        keys[i] = EVP_EC_gen("P-256");
    certificates[0] = make_certificate(keys[0], NULL, keys[0], "authority", NULL);
    certificates[1] = make_certificate(keys[1], NULL, keys[1], "other authority", NULL);
    certificates[2] = make_certificate(
        keys[2], certificates[0], keys[0], "agent", "DNS:agent.example,IP:192.0.2.7,IP:2001:db8::7");
    certificates[3] = make_certificate(keys[3], certificates[0], keys[0], "suite", NULL);
    write_certificate(ca, certificates[0]);
    write_certificate(other_ca, certificates[1]);
    write_certificate(cert, certificates[2]);
    write_key(key, keys[2]);
    write_certificate(client_cert, certificates[3]);
    write_key(client_key, keys[3]);
    for (int i = 0; i < 4; i++) {
        X509_free(certificates[i]);
        EVP_PKEY_free(keys[i]);
    }
    return 0;
}

static int end(void **state) {
    const char *const paths[] = {psk, other_psk, ca, other_ca, cert, key, client_cert, client_key};

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        unlink(paths[i]);
    return rmdir(folder);
}

/* ---- two sides ---- */

struct side {
    struct iw_tls_context *context;
    struct iw_tls *tls;
    char text[256]; /* what has been received */
    size_t length;
    bool broken;
};

static void open_side(struct side *side, const struct iw_tls_files *files, const char *host) {
    char error[256];

    *side = (struct side){0};
    side->context = iw_tls_context_new(files, host ? IW_TLS_CLIENT : IW_TLS_SERVER, error, sizeof error);
    if (!side->context)
        fail_msg("%s", error);
    side->tls = iw_tls_new(side->context, host);
    assert_non_null(side->tls);
}

static void close_side(struct side *side) {
    iw_tls_free(side->tls);
    iw_tls_context_free(side->context);
}

static void read_side(struct side *side) {
    int length;

    while ((length = iw_tls_read(
                side->tls, (uint8_t *)side->text + side->length, sizeof side->text - side->length - 1)) > 0)
        side->length += (size_t)length;
    side->broken |= length < 0;
}

/* Moves what `from` has for TCP in pieces of `piece` octets. Returns whether there was anything. */
static bool move(struct side *from, struct side *to, size_t piece) {
    uint8_t octets[4096];
    size_t length;
    bool moved = false;

    while ((length = iw_tls_output(from->tls, octets, piece)) > 0) {
        assert_true(iw_tls_feed(to->tls, octets, length));
        read_side(to);
        moved = true;
    }
    return moved;
}

static void converse(struct side *client, struct side *server, size_t piece) {
    bool more = true;

    read_side(client);
    while (more) {
        more = move(client, server, piece);
        more |= move(server, client, piece);
    }
}

static void say(struct side *side, const char *text) {
    assert_true(iw_tls_write(side->tls, (const uint8_t *)text, strlen(text)));
}

static void both_talk(const struct iw_tls_files *client_files, const struct iw_tls_files *server_files,
    const char *host, size_t piece) {
    struct side client, server;

    open_side(&client, client_files, host);
    open_side(&server, server_files, NULL);
    converse(&client, &server, piece);
    if (client.broken || server.broken)
        fail_msg("%s, %s", iw_tls_error(client.tls), iw_tls_error(server.tls));
    assert_true(iw_tls_established(client.tls) && iw_tls_established(server.tls));
    say(&client, "hello\n");
    say(&server, "welcome\n");
    say(&client, "again\n");
    converse(&client, &server, piece);
    assert_string_equal(server.text, "hello\nagain\n");
    assert_string_equal(client.text, "welcome\n");
    close_side(&client);
    close_side(&server);
}

/* The client gives up for `client_reason`, or the server for `server_reason`; neither has read anything. */
static void talk_fails(const struct iw_tls_files *client_files, const struct iw_tls_files *server_files,
    const char *host, const char *client_reason, const char *server_reason) {
    struct side client, server;

    open_side(&client, client_files, host);
    open_side(&server, server_files, NULL);
    converse(&client, &server, sizeof client.text);
    if (client_reason && !strstr(iw_tls_error(client.tls), client_reason))
        fail_msg("client: no %s in %s", client_reason, iw_tls_error(client.tls));
    if (server_reason && !strstr(iw_tls_error(server.tls), server_reason))
        fail_msg("server: no %s in %s", server_reason, iw_tls_error(server.tls));
    assert_true(server.broken && !iw_tls_established(server.tls));
    assert_true(client.broken);
    assert_false(iw_tls_write(server.tls, (const uint8_t *)"x", 1));
    close_side(&client);
    close_side(&server);
}

static void a_key_that_both_have_connects_them(void **state) {
    const struct iw_tls_files files = {.psk = psk};

    (void)state;
    both_talk(&files, &files, "192.0.2.7", 4096);
    both_talk(&files, &files, "192.0.2.7", 1);
}

static void another_key_does_not(void **state) {
    const struct iw_tls_files files = {.psk = psk}, other = {.psk = other_psk};

    (void)state;
    talk_fails(&other, &files, "192.0.2.7", "TLS: the peer rejects the pre-shared key: ", "TLS: ");
}

static void certificates_connect_them(void **state) {
    const struct iw_tls_files server = {.cert = cert, .key = key}, client = {.ca = ca};

    (void)state;
    both_talk(&client, &server, "agent.example", 4096);
    both_talk(&client, &server, "192.0.2.7", 1);
    both_talk(&client, &server, "2001:db8::7", 4096);
}

static void a_server_that_is_someone_else_is_rejected(void **state) {
    const struct iw_tls_files server = {.cert = cert, .key = key}, client = {.ca = ca},
                              trusts = {.ca = other_ca}, system = {.enabled = true}, own_key = {.psk = psk};

    (void)state;
    talk_fails(&client, &server, "other.example", "certificate verify failed: hostname mismatch", NULL);
    talk_fails(&client, &server, "192.0.2.8", "certificate verify failed: IP address mismatch", NULL);
    talk_fails(
        &trusts, &server, "agent.example", "certificate verify failed: unable to get local issuer", NULL);
    talk_fails(
        &system, &server, "agent.example", "certificate verify failed: unable to get local issuer", NULL);
    /* With a key alone, no certificate is trusted. */
    talk_fails(&own_key, &server, "agent.example",
        "the peer has a certificate, and does not use the pre-shared key", NULL);
}

static void a_server_with_ca_knows_its_clients(void **state) {
    const struct iw_tls_files server = {.cert = cert, .key = key, .ca = ca},
                              other = {.cert = cert, .key = key, .ca = other_ca},
                              client = {.ca = ca, .cert = client_cert, .key = client_key},
                              unknown = {.ca = ca};
    struct side anonymous, agent;

    (void)state;
    assert_true(iw_tls_knows_client(&server));
    both_talk(&client, &server, "agent.example", 4096);
    talk_fails(&client, &other, "agent.example", NULL, "certificate verify failed");
    /* The client learns after its own handshake that its certificate is missing (RFC 8446 4.4.2.4). */
    open_side(&anonymous, &unknown, "agent.example");
    open_side(&agent, &server, NULL);
    converse(&anonymous, &agent, 4096);
    assert_true(agent.broken && !iw_tls_established(agent.tls));
    assert_true(anonymous.broken);
    close_side(&anonymous);
    close_side(&agent);
}

static void files_that_do_not_fit_are_rejected(void **state) {
    static const struct {
        struct iw_tls_files files;
        const char *reason;
    } wrong[] = {{{.enabled = true}, "needs a certificate or a pre-shared key"},
        {{.cert = cert}, "a certificate and its private key go together"},
        {{.cert = cert, .key = client_key}, "client-key: key values mismatch"},
        {{.cert = key, .key = key}, "key: no certificate in PEM"},
        {{.cert = cert, .key = psk}, "psk: no private key in PEM"},
        {{.cert = cert, .key = key, .ca = psk}, "psk: no certificate in PEM"},
        {{.cert = "/nowhere", .key = key}, "/nowhere: No such file"},
        {{.cert = cert, .key = "/nowhere"}, "/nowhere: No such file"},
        {{.cert = cert, .key = key, .ca = "/nowhere"}, "/nowhere: No such file"},
        {{.psk = psk, .ca = ca}, "exclude each other"}, {{.psk = "/nowhere"}, "/nowhere: No such file"},
        {{.psk = cert}, "32 to 128 hexadecimal digits"}};
    char error[256];

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(iw_tls_context_new(&wrong[i].files, IW_TLS_SERVER, error, sizeof error));
        if (!strstr(error, wrong[i].reason))
            fail_msg("no %s in %s", wrong[i].reason, error);
    }
}

static void a_weak_or_malformed_key_is_rejected(void **state) {
    static const char *const wrong[] = {"", "\n", "00112233445566778899aabbccddee\n",
        "00112233445566778899aabbccddeeff0\n", "00112233445566778899aabbccddeefg\n", "secret"};
    const struct iw_tls_files files = {.psk = other_psk};
    char error[256];

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_text(other_psk, wrong[i]);
        assert_null(iw_tls_context_new(&files, IW_TLS_CLIENT, error, sizeof error));
    }
    write_text(other_psk, "00112233445566778899AABBCCDDEEFE");
}

/* ---- hostile octets ---- */

static uint32_t next_random(uint32_t *random) {
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

/* Any change of one bit of what the client sends during its handshake keeps the server from a session. */
static void no_changed_octet_of_a_handshake_passes(void **state) {
    const struct iw_tls_files files = {.psk = psk};
    size_t total = 1;

    (void)state;
    for (size_t changed = 0; changed < total; changed++) {
        struct side client, server;
        uint8_t octets[4096];
        size_t sent = 0, length;

        open_side(&client, &files, "192.0.2.7");
        open_side(&server, &files, NULL);
        read_side(&client);
        while ((length = iw_tls_output(client.tls, octets, sizeof octets)) > 0) {
            if (changed >= sent && changed < sent + length)
                octets[changed - sent] ^= (uint8_t)(1 << changed % 8);
            sent += length;
            assert_true(iw_tls_feed(server.tls, octets, length));
            read_side(&server);
            move(&server, &client, sizeof octets);
        }
        total = sent > total ? sent : total;
        /* The record's version is the exception: receivers must ignore it (RFC 8446 5.1). */
        if (changed != 1 && changed != 2 && iw_tls_established(server.tls))
            fail_msg("octet %zu of %zu", changed, sent);
        assert_int_equal(server.length, 0);
        close_side(&client);
        close_side(&server);
    }
    assert_true(total > 200);
}

/* Random octets, some of which begin as a record. */
static void garbage_breaks_either_side(void **state) {
    const struct iw_tls_files server_files = {.cert = cert, .key = key}, client_files = {.ca = ca};
    uint32_t random = 1;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct side side;
        uint8_t octets[512];

        open_side(&side, i % 2 ? &client_files : &server_files, i % 2 ? "agent.example" : NULL);
        for (size_t at = 0; at < sizeof octets; at++)
            octets[at] = (uint8_t)next_random(&random);
        if (i % 3)
            memcpy(octets, "\x16\x03\x01\x01\x00\x01\x00\x00\xfc\x03\x03", 11);
        assert_true(iw_tls_feed(side.tls, octets, sizeof octets));
        read_side(&side);
        assert_false(iw_tls_established(side.tls));
        assert_int_equal(side.length, 0);
        if (i % 3 == 0 && (octets[0] < 20 || octets[0] > 24))
            assert_true(side.broken && iw_tls_error(side.tls)[0]);
        close_side(&side);
    }
}

static void text_in_the_clear_is_rejected(void **state) {
    const struct iw_tls_files files = {.psk = psk};
    static const char hello[] = "{\"id\":1,\"op\":\"hello\",\"version\":1}\n";
    struct side server;

    (void)state;
    open_side(&server, &files, NULL);
    assert_true(iw_tls_feed(server.tls, (const uint8_t *)hello, sizeof hello - 1));
    read_side(&server);
    assert_true(server.broken);
    assert_int_equal(server.length, 0);
    close_side(&server);
}

/* A peer that offers at most TLS 1.2. */
static void an_older_version_is_rejected(void **state) {
    const struct iw_tls_files files = {.cert = cert, .key = key};
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *old = SSL_new(context);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    struct side server;
    uint8_t octets[4096];
    int length;

    (void)state;
    SSL_set_max_proto_version(old, TLS1_2_VERSION);
    SSL_set_bio(old, in, out);
    SSL_set_connect_state(old);
    SSL_do_handshake(old);
    length = BIO_read(out, octets, sizeof octets);
    assert_true(length > 0);
    open_side(&server, &files, NULL);
    assert_true(iw_tls_feed(server.tls, octets, (size_t)length));
    read_side(&server);
    assert_true(server.broken);
    assert_non_null(strstr(iw_tls_error(server.tls), "unsupported protocol"));
    close_side(&server);
    SSL_free(old);
    SSL_CTX_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_key_that_both_have_connects_them),
        cmocka_unit_test(another_key_does_not), cmocka_unit_test(certificates_connect_them),
        cmocka_unit_test(a_server_that_is_someone_else_is_rejected),
        cmocka_unit_test(a_server_with_ca_knows_its_clients),
        cmocka_unit_test(files_that_do_not_fit_are_rejected),
        cmocka_unit_test(a_weak_or_malformed_key_is_rejected),
        cmocka_unit_test(no_changed_octet_of_a_handshake_passes),
        cmocka_unit_test(garbage_breaks_either_side), cmocka_unit_test(text_in_the_clear_is_rejected),
        cmocka_unit_test(an_older_version_is_rejected)};

    return cmocka_run_group_tests(tests, begin, end);
}
