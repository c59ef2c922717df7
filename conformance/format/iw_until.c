#include "iw_until.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { UNTIL_OCTETS = sizeof "2027-01-31" };

bool iw_until_is_date(const char *text) {
    char again[UNTIL_OCTETS];
    struct tm utc = {0};
    time_t day;

    if (strlen(text) != UNTIL_OCTETS - 1 || strspn(text, "0123456789-") != UNTIL_OCTETS - 1 ||
        sscanf(text, "%4d-%2d-%2d", &utc.tm_year, &utc.tm_mon, &utc.tm_mday) != 3)
        return false;
    utc.tm_year -= 1900;
    utc.tm_mon--;
    day = timegm(&utc); /* normalises 30 February */
    return gmtime_r(&day, &utc) != NULL && strftime(again, sizeof again, "%Y-%m-%d", &utc) > 0 &&
           strcmp(again, text) == 0;
}

bool iw_until_is_over(const char *text) {
    char today[UNTIL_OCTETS];
    time_t now = time(NULL);
    struct tm utc;

    if (text == NULL || gmtime_r(&now, &utc) == NULL || strftime(today, sizeof today, "%Y-%m-%d", &utc) == 0)
        return false;
    return strcmp(text, today) < 0;
}
