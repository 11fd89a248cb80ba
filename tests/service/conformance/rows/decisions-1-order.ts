/** HTTP decisions §1: the order of checks, a row for each two that follow each other. */
import type { ConformanceSection } from "../conformance-row.ts"
import { nodeServer, order, sqlite, tasks } from "./test-files.ts"

function before(code: string, next: string): ConformanceSection["rows"][number]["tests"] {
  return order(`the order of checks > comes to ${code} before ${next}`)
}

export const ORDER: ConformanceSection = {
  document: "HTTP decisions",
  section: "§1",
  title: "Order of checks",
  rows: [
    { row: "Route 404 → method 405", tests: before("route_not_found", "method_not_allowed") },
    {
      row: "Method 405 → authentication 401",
      tests: before("method_not_allowed", "missing_api_key"),
    },
    {
      row: "Authentication 401 → scope 403",
      tests: before("missing_api_key", "account_suspended"),
    },
    {
      row: "Within 403: account → scope",
      tests: before("account_suspended", "insufficient_scope"),
    },
    { row: "Scope 403 → rate 429", tests: before("insufficient_scope", "rate_limit_exceeded") },
    {
      row: "Rate 429 → content type 415",
      tests: before("rate_limit_exceeded", "unsupported_media_type"),
    },
    {
      row: "Content type 415 → content encoding 415",
      tests: before("unsupported_media_type", "unsupported_content_encoding"),
    },
    {
      row: "415 → malformed Idempotency-Key 400",
      tests: before("unsupported_content_encoding", "invalid_idempotency_key"),
    },
    {
      row: "Malformed Idempotency-Key 400 → declared length 413",
      tests: before("invalid_idempotency_key", "request_too_large"),
    },
    {
      row: "Declared length 413 comes before `100 Continue`",
      tests: nodeServer(
        "the Node server > says 100 Continue only once nothing but the body can be refused",
      ),
    },
    {
      row: "Body 408/413 → UTF-8 and JSON 400",
      tests: [
        ...before("request_too_large", "invalid_json"),
        ...order(
          "the order of checks > counts a body that does not declare its length before it is read as JSON",
        ),
        ...nodeServer("the Node server > answers a slow header and a slow body with 408"),
      ],
    },
    { row: "UTF-8 and JSON 400 → shape", tests: before("invalid_json", "unknown_parameter") },
    {
      row: "Within JSON: too complex → not JSON → a name twice",
      tests: tasks(
        "the order of checks > comes to json_too_complex before what is wrong as well",
        "the order of checks > comes to invalid_json before what is wrong as well",
        "the order of checks > comes to duplicate_key before what is wrong as well",
      ),
    },
    { row: "Shape → model", tests: before("unknown_parameter", "model_not_found") },
    {
      row: "Model → parameters 400",
      tests: before("model_not_found", "string_below_min_length"),
    },
    {
      row: "Parameters 400 → idempotency",
      tests: before("string_below_min_length", "idempotency_key_reused"),
    },
    {
      row: "Idempotency → budget 402",
      tests: before("idempotency_key_reused", "insufficient_balance"),
    },
    {
      row: "Budget 402 → capacity",
      tests: [
        ...before("insufficient_balance", "concurrency_limit_exceeded"),
        ...sqlite(
          "SQLite is a storage > a budget covers a task that uses it up, and none that passes it",
        ),
      ],
    },
    {
      row: "Capacity → commit → 202",
      tests: [
        ...before("concurrency_limit_exceeded", "the task"),
        ...order("the order of checks > ends in a task where nothing is wrong"),
      ],
    },
    {
      row: "Any two checks that do not follow each other keep this order too",
      tests: order("the order of checks > is the same for any two checks"),
    },
    {
      row: "A replay ignores budget, unfinished-task and capacity refusals, not the rate",
      tests: order(
        "a replay > ignores the budget and the bound on unfinished tasks, and not the rate",
      ),
    },
  ],
}
