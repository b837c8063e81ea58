/*
 * The table of routes; see site/answer/routes.h.
 *
 * Each row is a method, a path, the kind of body, needs, and the function that answers;
 * http/routes.h says how a row is found. What needs TV_ROUTE_SLOW asks the store or an index, and
 * is answered by a request worker.
 */
#include "site/answer/routes.h"

#include "base/compiler.h"
#include "site/answer/deliveries.h"
#include "site/answer/events.h"
#include "site/answer/health.h"
#include "site/answer/mappings.h"
#include "site/answer/openapi.h"
#include "site/answer/program_tokens.h"
#include "site/answer/site_documents.h"
#include "site/answer/trace_documents.h"
#include "site/answer/traces.h"
#include "site/fleet/fleet_answers.h"
#include "site/fleet/fleet_documents.h"
#include "site/upload/aflame.h"
#include "site/upload/uploads.h"

/* A route is one line here, and an operation in openapi.json. */
/* clang-format off */
static const struct tv_http_route rows[] = {
    {TV_HTTP_GET, "/", TV_ROUTE_NOTHING, 0, tv_site_start},
    {TV_HTTP_POST, "/upload_trace", TV_ROUTE_TRACE, TV_ROUTE_SLOW | TV_SITE_FORM_ALONE, tv_aflame_upload},
    {TV_HTTP_GET, "/trace/{id}", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_aflame_find},
    {TV_HTTP_GET, "/trace/{id}/", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_trace_page},
    {TV_HTTP_GET, "/trace/{id}/owner", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_trace_owner_page},
    {TV_HTTP_POST, "/trace/{id}/owner", TV_ROUTE_FORM, TV_ROUTE_SLOW | TV_SITE_PEOPLE, tv_trace_owner_form},
    {TV_HTTP_GET, "/trace/{id}/flame", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_trace_flames},
    {TV_HTTP_GET, "/trace/{id}/raw", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_traces_raw},
    {TV_HTTP_GET, "/trace/{id}/{thread}.svg", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_trace_picture},
    {TV_HTTP_GET, "/trace/{id}/api/first", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_trace_first},
    {TV_HTTP_GET, "/trace/{id}/api/events", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_trace_events},
    {TV_HTTP_GET, "/trace/{id}/api/export", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_traces_export},
    {TV_HTTP_GET, "/trace/{id}/api/exporting", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_traces_exporting},
    {TV_HTTP_PUT, "/trace/{id}/api/exporting", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_SITE_READS, tv_traces_exporting},
    {TV_HTTP_GET, "/trace/{id}/api/{route}", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_traces_view},
    {TV_HTTP_GET, "/list", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_site_list},
    {TV_HTTP_GET, "/compare", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_site_compare},
    {TV_HTTP_GET, "/apps", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_fleet_apps_page},
    {TV_HTTP_GET, "/apps/diff", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_fleet_diff_page},
    {TV_HTTP_GET, "/apps/method", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_fleet_method_page},
    {TV_HTTP_GET, "/tokens", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_SITE_PEOPLE, tv_program_tokens_page},
    {TV_HTTP_POST, "/tokens", TV_ROUTE_FORM, TV_ROUTE_SLOW | TV_SITE_PEOPLE, tv_program_tokens_form},
    {TV_HTTP_GET, "/webhook", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_SITE_PEOPLE, tv_deliveries_page},
    {TV_HTTP_GET, "/stored", TV_ROUTE_NOTHING, 0, tv_site_stored},
    {TV_HTTP_GET, "/static/{file}", TV_ROUTE_NOTHING, 0, tv_site_static},
    {TV_HTTP_GET, "/healthz", TV_ROUTE_NOTHING, TV_SITE_ANY_HOST, tv_site_is_alive},
    {TV_HTTP_GET, "/readyz", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_SITE_ANY_HOST, tv_site_is_ready},
    {TV_HTTP_GET, "/metrics", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_SITE_BY_ADDRESS, tv_site_metrics},
    {TV_HTTP_GET, "/api/v1/openapi.json", TV_ROUTE_NOTHING, 0, tv_openapi_send},
    {TV_HTTP_GET, "/api/v1/traces", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_traces_list},
    {TV_HTTP_POST, "/api/v1/traces", TV_ROUTE_TRACE, TV_ROUTE_SLOW, tv_traces_add},
    {TV_HTTP_PUT, "/api/v1/traces", TV_ROUTE_TRACE, TV_ROUTE_SLOW, tv_traces_add},
    {TV_HTTP_GET, "/api/v1/traces/{id}", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_traces_tell},
    {TV_HTTP_PATCH, "/api/v1/traces/{id}", TV_ROUTE_FORM, TV_ROUTE_SLOW, tv_traces_change},
    {TV_HTTP_DELETE, "/api/v1/traces/{id}", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_traces_delete},
    {TV_HTTP_GET, "/api/v1/traces/{id}/raw", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_traces_raw},
    {TV_HTTP_GET, "/api/v1/traces/{id}/view/{route}", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_traces_view},
    {TV_HTTP_GET, "/api/v1/traces/{id}/export/{format}", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_traces_export},
    {TV_HTTP_PUT, "/api/v1/traces/{name}", TV_ROUTE_TRACE, TV_ROUTE_SLOW | TV_SITE_NAMED, tv_traces_add},
    {TV_HTTP_GET, "/api/v1/apps", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_fleet_apps},
    {TV_HTTP_GET, "/api/v1/apps/builds", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_fleet_builds},
    {TV_HTTP_GET, "/api/v1/apps/diff", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_fleet_diff},
    {TV_HTTP_GET, "/api/v1/apps/feed", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_fleet_feed},
    {TV_HTTP_GET, "/api/v1/apps/method", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_fleet_method},
    {TV_HTTP_GET, "/api/v1/mappings", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_mappings_list},
    {TV_HTTP_POST, "/api/v1/mappings", TV_ROUTE_TRACE, TV_ROUTE_SLOW | TV_SITE_MAPPING, tv_traces_add},
    {TV_HTTP_PUT, "/api/v1/mappings", TV_ROUTE_TRACE, TV_ROUTE_SLOW | TV_SITE_MAPPING, tv_traces_add},
    {TV_HTTP_GET, "/api/v1/mappings/{id}", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_mappings_tell},
    {TV_HTTP_DELETE, "/api/v1/mappings/{id}", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_mappings_delete},
    {TV_HTTP_GET, "/api/v1/mappings/{id}/raw", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_mappings_raw},
    {TV_HTTP_POST, "/api/v1/uploads", TV_ROUTE_FORM, TV_ROUTE_SLOW | TV_SITE_UPLOADS, tv_uploads_begin},
    {TV_HTTP_GET, "/api/v1/uploads/{id}", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_SITE_UPLOADS, tv_uploads_tell},
    {TV_HTTP_PATCH, "/api/v1/uploads/{id}", TV_ROUTE_PIECE, TV_ROUTE_SLOW | TV_SITE_UPLOADS, tv_uploads_add},
    {TV_HTTP_DELETE, "/api/v1/uploads/{id}", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_SITE_UPLOADS, tv_uploads_delete},
    {TV_HTTP_POST, "/api/v1/uploads/{id}/complete", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_SITE_UPLOADS, tv_uploads_complete},
    {TV_HTTP_GET, "/api/v1/tokens", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_SITE_PEOPLE, tv_program_tokens_list},
    {TV_HTTP_POST, "/api/v1/tokens", TV_ROUTE_FORM, TV_ROUTE_SLOW | TV_SITE_PEOPLE, tv_program_tokens_add},
    {TV_HTTP_DELETE, "/api/v1/tokens/{id}", TV_ROUTE_NOTHING, TV_ROUTE_SLOW | TV_SITE_PEOPLE, tv_program_tokens_delete},
    {TV_HTTP_GET, "/api/v1/webhook", TV_ROUTE_NOTHING, TV_ROUTE_SLOW, tv_deliveries_list},
    {TV_HTTP_PUT, "/{name}", TV_ROUTE_TRACE, TV_ROUTE_SLOW | TV_SITE_NAMED, tv_traces_add},
};
/* clang-format on */

const struct tv_http_routes tv_site_routes = {rows, TV_COUNT_OF(rows)};
