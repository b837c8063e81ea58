/*
 * Parts of SARIF logs; see cli/compare/sarif.h. A log has one run, whose tool lists the rules that
 * results refer to by number, so the rules come first.
 */
#include "cli/compare/sarif.h"

/* The schema that a log names. */
#define SCHEMA                                                                                     \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

void tv_sarif_begin(struct tv_json *json, const char *tool)
{
    tv_json_open_object(json);
    tv_json_key_text(json, "$schema", SCHEMA);
    tv_json_key_text(json, "version", "2.1.0");
    tv_json_key(json, "runs");
    tv_json_open_array(json);
    tv_json_open_object(json);
    tv_json_key(json, "tool");
    tv_json_open_object(json);
    tv_json_key(json, "driver");
    tv_json_open_object(json);
    tv_json_key_text(json, "name", tool);
    tv_json_key(json, "rules");
    tv_json_open_array(json);
}

void tv_sarif_end_rules(struct tv_json *json)
{
    tv_json_close_array(json);
    tv_json_close_object(json);
    tv_json_close_object(json);
}

void tv_sarif_end(struct tv_json *json)
{
    tv_json_close_object(json);
    tv_json_close_array(json);
    tv_json_close_object(json);
}

void tv_sarif_text(struct tv_json *json, const char *key, struct tv_str text)
{
    tv_json_key(json, key);
    tv_json_open_object(json);
    tv_json_key_str(json, "text", text);
    tv_json_close_object(json);
}

void tv_sarif_location(struct tv_json *json, struct tv_str name, bool is_function)
{
    tv_json_key(json, "locations");
    tv_json_open_array(json);
    tv_json_open_object(json);
    tv_json_key(json, "logicalLocations");
    tv_json_open_array(json);
    tv_json_open_object(json);
    tv_json_key_str(json, "fullyQualifiedName", name);
    if (is_function)
        tv_json_key_text(json, "kind", "function");
    tv_json_close_object(json);
    tv_json_close_array(json);
    tv_json_close_object(json);
    tv_json_close_array(json);
}
