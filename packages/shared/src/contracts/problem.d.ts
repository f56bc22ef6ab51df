import { z } from 'zod';
/**
 * Every problem that the API answers with. The code is stable: a client may branch on it. `advice` says what to do
 * about it, on the page that the `type` of the problem leads to.
 */
export declare const PROBLEMS: {
    readonly invalid_request: {
        readonly status: 400;
        readonly title: 'Invalid request';
        readonly advice: 'Correct the fields that `errors` names, then send the request again. Each entry has the field, a code and the expected value.';
    };
    readonly invalid_json: {
        readonly status: 400;
        readonly title: 'Invalid JSON';
        readonly advice: 'Send a JSON document that parses. The keys `__proto__` and `constructor.prototype` are refused anywhere in it.';
    };
    readonly invalid_header: {
        readonly status: 400;
        readonly title: 'Invalid header';
        readonly advice: 'Correct the request header that `detail` names.';
    };
    readonly missing_key: {
        readonly status: 401;
        readonly title: 'No API key';
        readonly advice: 'Send a key as `Authorization: Bearer <key>`. An admin of the project makes keys with `POST /v1/keys`.';
    };
    readonly invalid_key: {
        readonly status: 401;
        readonly title: 'Invalid API key';
        readonly advice: 'The key is unknown, expired or revoked. Use another key.';
    };
    readonly session_ended: {
        readonly status: 401;
        readonly title: 'Session ended';
        readonly advice: 'The session is unknown, expired or was ended. Sign in again.';
    };
    readonly missing_scope: {
        readonly status: 403;
        readonly title: 'Missing scope';
        readonly advice: 'Use a key that has the scope that `detail` names. `admin` includes `write`, and `write` includes `read`.';
    };
    readonly operator_only: {
        readonly status: 403;
        readonly title: 'Only for operators';
        readonly advice: 'Use an admin key of the project `default`. Admins of that project operate the installation.';
    };
    readonly cross_site_request: {
        readonly status: 403;
        readonly title: 'Cross-site request';
        readonly advice: 'A browser session accepts changes only from pages of the same origin. Programs send a key in the `Authorization` header instead.';
    };
    readonly route_not_found: {
        readonly status: 404;
        readonly title: 'No such route';
        readonly advice: 'Check the method and the path against the API reference at `/docs`.';
    };
    readonly not_found: {
        readonly status: 404;
        readonly title: 'Not found';
        readonly advice: 'Check the id, and that the key belongs to the project that owns the resource.';
    };
    readonly already_exists: {
        readonly status: 409;
        readonly title: 'Already exists';
        readonly advice: 'Choose another id, or edit the resource that has this id.';
    };
    readonly schedule_cancelled: {
        readonly status: 409;
        readonly title: 'The schedule was cancelled';
        readonly advice: 'Put the schedule back with `PUT /v1/schedules/{id}`, which replaces its definition and starts it anew; or remove it with its history by `DELETE /v1/schedules/{id}?purge=true` and create it again; or choose another id.';
    };
    readonly invalid_state: {
        readonly status: 409;
        readonly title: 'Not possible in this state';
        readonly advice: 'Read the resource to see its state. `detail` says which state is in the way.';
    };
    readonly in_use: {
        readonly status: 409;
        readonly title: 'Still in use';
        readonly advice: 'Remove the references that `detail` names, then send the request again.';
    };
    readonly schedule_limit_reached: {
        readonly status: 409;
        readonly title: 'Schedule limit reached';
        readonly advice: 'Cancel schedules, or ask an operator to raise the `schedules` limit of the project.';
    };
    readonly encryption_key_missing: {
        readonly status: 409;
        readonly title: 'No encryption key';
        readonly advice: 'Set `CARILLON_ENCRYPTION_KEY` on the API and on the workers, then restart them.';
    };
    readonly stale_version: {
        readonly status: 412;
        readonly title: 'Stale version';
        readonly advice: 'Read the resource, apply the change to the new version, and send its ETag as `If-Match`.';
    };
    readonly body_too_large: {
        readonly status: 413;
        readonly title: 'Body too large';
        readonly advice: 'Send less at once: 256 KiB per request, 16 MiB per bulk request.';
    };
    readonly unsupported_media_type: {
        readonly status: 415;
        readonly title: 'Unsupported media type';
        readonly advice: 'Send the body as `content-type: application/json`.';
    };
    readonly idempotency_key_reused: {
        readonly status: 422;
        readonly title: 'Idempotency-Key reused';
        readonly advice: 'Use a new key for a new request. The same key is only for repeating the same request.';
    };
    readonly rate_limited: {
        readonly status: 429;
        readonly title: 'Too many requests';
        readonly advice: 'Wait for the seconds that `Retry-After` names. The request was not executed.';
    };
    readonly too_many_invalid_keys: {
        readonly status: 429;
        readonly title: 'Too many requests without a valid key';
        readonly advice: 'Correct the key, then wait for the seconds that `Retry-After` names. The limit applies to a client address.';
    };
    readonly too_many_bulk_requests: {
        readonly status: 429;
        readonly title: 'Too many bulk requests';
        readonly advice: 'Wait for the seconds that `Retry-After` names, and send bulk requests of a project one after the other. The request was not executed.';
    };
    readonly unknown_ping: {
        readonly status: 404;
        readonly title: 'Unknown ping URL';
        readonly advice: 'Read the URL again with `GET /v1/schedules/:id/heartbeat`. A rotation replaces it, and cancelling the schedule ends it.';
    };
    readonly too_many_pings: {
        readonly status: 429;
        readonly title: 'Too many pings';
        readonly advice: 'Wait for the seconds that `Retry-After` names. The ping was not recorded.';
    };
    readonly too_many_streams: {
        readonly status: 429;
        readonly title: 'Too many event streams';
        readonly advice: 'Close a stream, or share one stream between the parts of a program.';
    };
    readonly bad_request: {
        readonly status: 400;
        readonly title: 'Bad request';
        readonly advice: 'Correct the request. `detail` says what the HTTP server refused.';
    };
    readonly internal_error: {
        readonly status: 500;
        readonly title: 'Internal error';
        readonly advice: 'Report it with the time and the path of the request. The API has logged the cause.';
    };
    readonly database_unavailable: {
        readonly status: 503;
        readonly title: 'Database unavailable';
        readonly advice: 'Send the request again after the seconds that `Retry-After` names. Nothing was changed.';
    };
    readonly outcome_unknown: {
        readonly status: 503;
        readonly title: 'Outcome unknown';
        readonly advice: 'The connection to the database broke during the change, which may or may not have been committed. Repeat the request with the same `Idempotency-Key`; without a key, read the resource first.';
    };
};
export type ProblemCode = keyof typeof PROBLEMS;
export declare const PROBLEM_CODES: [ProblemCode, ...ProblemCode[]];
/** The path of the page that explains a problem. */
export declare const problemType: (code: ProblemCode) => string;
/** The problem of one field. */
export declare const FieldError: z.ZodObject<{
    field: z.ZodString;
    code: z.ZodEnum<{
        invalid_value: "invalid_value";
        missing: "missing";
        unknown_field: "unknown_field";
    }>;
    message: z.ZodString;
}, z.core.$strip>;
/** The body of every answer that is not a success (RFC 9457). */
export declare const ProblemAnswer: z.ZodObject<{
    type: z.ZodString;
    code: z.ZodEnum<{
        already_exists: "already_exists";
        bad_request: "bad_request";
        body_too_large: "body_too_large";
        cross_site_request: "cross_site_request";
        database_unavailable: "database_unavailable";
        encryption_key_missing: "encryption_key_missing";
        idempotency_key_reused: "idempotency_key_reused";
        in_use: "in_use";
        internal_error: "internal_error";
        invalid_header: "invalid_header";
        invalid_json: "invalid_json";
        invalid_key: "invalid_key";
        invalid_request: "invalid_request";
        invalid_state: "invalid_state";
        missing_key: "missing_key";
        missing_scope: "missing_scope";
        not_found: "not_found";
        operator_only: "operator_only";
        outcome_unknown: "outcome_unknown";
        rate_limited: "rate_limited";
        route_not_found: "route_not_found";
        schedule_cancelled: "schedule_cancelled";
        schedule_limit_reached: "schedule_limit_reached";
        session_ended: "session_ended";
        stale_version: "stale_version";
        too_many_bulk_requests: "too_many_bulk_requests";
        too_many_invalid_keys: "too_many_invalid_keys";
        too_many_pings: "too_many_pings";
        too_many_streams: "too_many_streams";
        unknown_ping: "unknown_ping";
        unsupported_media_type: "unsupported_media_type";
    }>;
    title: z.ZodString;
    status: z.ZodInt;
    detail: z.ZodString;
    instance: z.ZodString;
    errors: z.ZodOptional<z.ZodArray<z.ZodObject<{
        field: z.ZodString;
        code: z.ZodEnum<{
            invalid_value: "invalid_value";
            missing: "missing";
            unknown_field: "unknown_field";
        }>;
        message: z.ZodString;
    }, z.core.$strip>>>;
}, z.core.$strip>;
