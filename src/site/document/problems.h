/* Refusals, by their HTTP status: what happened, and what to do. */
#ifndef TV_SITE_DOCUMENT_PROBLEMS_H
#define TV_SITE_DOCUMENT_PROBLEMS_H

struct tv_problem {
    unsigned status;
    const char *title, *advice;
};

/* Of any status: unknown ones have words too. */
const struct tv_problem *tv_problem_of(unsigned status);

#endif
