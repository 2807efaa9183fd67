/* A wall clock that jumps, for one program that is told to load this first. TORTURE_CLOCK says how: "0:-3600,40:31536000"
 * is an hour behind from the first look at the clock on, and a year ahead from the 40th. The clock that only counts on
 * (CLOCK_MONOTONIC) is left alone, as a system leaves it when its time is set. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long offset(void) {
    static atomic_long looks;
    long look = atomic_fetch_add(&looks, 1);
    const char *rest = getenv("TORTURE_CLOCK");
    long long found = 0;
    while (rest != NULL && *rest != '\0') {
        char *end;
        long from = strtol(rest, &end, 10);
        if (*end != ':')
            break;
        long long by = strtoll(end + 1, &end, 10);
        if (look >= from)
            found = by;
        rest = *end == ',' ? end + 1 : end;
        if (*end != ',' && *end != '\0')
            break;
    }
    return found;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    long done = syscall(SYS_clock_gettime, clock, at);
    if (done == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        at->tv_sec += offset();
    return (int)done;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return -1;
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return (time_t)-1;
    if (at != NULL)
        *at = now.tv_sec;
    return now.tv_sec;
}
