#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_agent_token.h"

static void token_equals_only_itself(void **state) {
    (void)state;
    assert_true(iw_agent_token_equal("secret", "secret"));
    assert_false(iw_agent_token_equal("secret", "secreT"));
    assert_false(iw_agent_token_equal("secret", "Secret"));
    assert_false(iw_agent_token_equal("secret", "secretsecret"));
    assert_false(iw_agent_token_equal("secret", "secre"));
    assert_false(iw_agent_token_equal("secret", ""));
    assert_false(iw_agent_token_equal("secret", NULL));
}

static void loopback_address_is_recognised(void **state) {
    (void)state;
    assert_true(iw_agent_is_loopback("127.0.0.1"));
    assert_true(iw_agent_is_loopback("127.1.2.3"));
    assert_true(iw_agent_is_loopback("::1"));
    assert_true(iw_agent_is_loopback("localhost"));
    assert_false(iw_agent_is_loopback("0.0.0.0"));
    assert_false(iw_agent_is_loopback("::"));
    assert_false(iw_agent_is_loopback("192.0.2.127"));
    assert_false(iw_agent_is_loopback("127.example.com"));
    assert_false(iw_agent_is_loopback("1270.0.0.1"));
}

static enum iw_status read_of(const char *text, char token[IW_AGENT_TOKEN_MAX]) {
    char path[] = "/tmp/warpcheck-token-XXXXXX", error[512];
    int file = mkstemp(path);
    enum iw_status status;

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    status = iw_agent_token_read(path, token, error, sizeof error);
    if (status != IW_OK)
        assert_memory_equal(error, path, strlen(path));
    unlink(path);
    return status;
}

static void first_line_of_file_is_the_token(void **state) {
    char token[IW_AGENT_TOKEN_MAX], error[512], longer[400];

    (void)state;
    assert_int_equal(read_of(" open sesame \r\nand more\n", token), IW_OK);
    assert_string_equal(token, "open sesame");
    assert_int_equal(read_of("short", token), IW_OK);
    assert_string_equal(token, "short");
    assert_int_equal(read_of("", token), IW_ERR_FORMAT);
    assert_int_equal(read_of("\nsecond line\n", token), IW_ERR_FORMAT);
    memset(longer, 'x', sizeof longer);
    longer[255] = '\0';
    assert_int_equal(read_of(longer, token), IW_OK);
    longer[255] = 'x';
    longer[256] = '\0';
    assert_int_equal(read_of(longer, token), IW_ERR_FORMAT);
    assert_int_equal(iw_agent_token_read("/no/such/file", token, error, sizeof error), IW_ERR_IO);
    assert_string_equal(error, "/no/such/file: No such file or directory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(token_equals_only_itself),
        cmocka_unit_test(loopback_address_is_recognised),
        cmocka_unit_test(first_line_of_file_is_the_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
