/** HTTP decisions §2: the table of cases that a request alone brings about, in its order. */
import type { ConformanceRow } from "../conformance-row.ts"
import {
  answers,
  errors,
  hostileSockets,
  jsonBody,
  mediaUrl,
  nodeServer,
  parameters,
  requests,
  tasks,
} from "./test-files.ts"

/** By the name of the error row: `404 route_not_found where …`. */
function answered(...names: readonly string[]): ConformanceRow["tests"] {
  return errors(...names.map((name) => `errors > answers ${name}`))
}

export const REQUEST_ERRORS: readonly ConformanceRow[] = [
  {
    row: "Unknown route: 404 `route_not_found`, no authentication needed",
    tests: answered("404 route_not_found where the path is unknown, without a key"),
  },
  {
    row: "Wrong method: 405 `method_not_allowed`, `Allow`",
    tests: answered(
      "405 method_not_allowed where the method is wrong, without a key",
      "405 method_not_allowed where a task is written to",
    ),
  },
  {
    row: "No credentials: 401 `missing_api_key`, `WWW-Authenticate`",
    tests: answered("401 missing_api_key where no key is sent"),
  },
  {
    row: "Malformed or unknown key, Basic, two values: 401 `invalid_api_key`, `invalid_token`",
    tests: [
      ...answered(
        "401 invalid_api_key where the scheme is Basic",
        "401 invalid_api_key where two keys are sent in one header",
        "401 invalid_api_key where the key's checksum is right and its id unknown",
        "401 invalid_api_key where the secret is another key's, even of a revoked one",
      ),
      ...nodeServer("the Node server > refuses two Authorization headers"),
    ],
  },
  {
    row: "Revoked or expired key, once its secret verified: 401 `api_key_revoked`, `api_key_expired`",
    tests: answered(
      "401 api_key_revoked where the key was revoked",
      "401 api_key_expired where the key has expired this very millisecond",
      "401 invalid_api_key where the secret is another key's, even of a revoked one",
    ),
  },
  {
    row: "Scope missing: 403 `insufficient_scope`, and which one",
    tests: answered("403 insufficient_scope where the key lacks the scope"),
  },
  {
    row: "Account disabled: 403 `account_suspended`",
    tests: answered("403 account_suspended where the account is suspended"),
  },
  {
    row: "Budget used up: 402 `insufficient_balance`",
    tests: answered("402 insufficient_balance where the budget does not cover the task"),
  },
  {
    row: "Not application/json, or a charset other than utf-8: 415 `unsupported_media_type`",
    tests: [
      ...answered(
        "415 unsupported_media_type where the body is a form",
        "415 unsupported_media_type where the charset is not UTF-8",
      ),
      ...tasks('tasks > takes a body of type Application/JSON; Charset="UTF-8"'),
    ],
  },
  {
    row: "Content-Encoding on a request: 415 `unsupported_content_encoding`, `Accept-Encoding: identity`",
    tests: answered("415 unsupported_content_encoding where the body is compressed"),
  },
  {
    row: "Body over the limit: 413 `request_too_large`, `Connection: close`, chunked bytes counted too",
    tests: [
      ...answered("413 request_too_large where the body is too large"),
      ...nodeServer(
        "the Node server > counts the bytes of a body in chunks",
        "the Node server > reads a refused upload on, so that its sender sees the answer and no reset",
      ),
    ],
  },
  {
    row: "Body too slow: 408 `request_timeout`, close",
    tests: [
      ...nodeServer("the Node server > answers a slow header and a slow body with 408"),
      ...hostileSockets(
        "hostile clients > are answered and closed on: a body that stops",
        "hostile clients > are answered and closed on: a chunk that stops",
      ),
    ],
  },
  {
    row: "Headers too large: 431 `headers_too_large`, with a body",
    tests: nodeServer("the Node server > answers headers past 16 KiB with 431 and the error body"),
  },
  {
    row: "URL too large: 414 `uri_too_long`, with a body",
    tests: [
      ...answered("414 uri_too_long where the URL is too long"),
      ...nodeServer("the Node server > answers a URL of any size with 414 and the error body"),
    ],
  },
]

export const BODY_ERRORS: readonly ConformanceRow[] = [
  {
    row: "Not UTF-8, not JSON, empty: 400 `invalid_json`, by byte offset and not content",
    tests: [
      ...answered(
        "400 invalid_json where the body is empty",
        "400 invalid_json where the body is no JSON, by its byte behind a mark and two-byte letters",
        "400 invalid_json where the body is not UTF-8",
        "400 invalid_json where the body ends within a character",
      ),
      ...jsonBody("findJsonFault > names the first byte that can't stand there"),
    ],
  },
  {
    row: "Duplicate member name: 400 `duplicate_key`",
    tests: [
      ...answered("400 duplicate_key where a name stands twice, once escaped"),
      ...jsonBody("scanJson > finds a name that stands twice in one object, and only there"),
    ],
  },
  {
    row: "Depth over 32 or more than 10,000 nodes: 400 `json_too_complex`",
    tests: [
      ...answered("400 json_too_complex where the body is 33 levels deep"),
      ...jsonBody("scanJson > holds both sides of the depth of 32 and of 10,000 values"),
    ],
  },
  {
    row: "Body not an object, wrong JSON type, null, 1.5 for an integer: 400 `invalid_type`",
    tests: [
      ...answered(
        "400 invalid_type where the body is a list",
        "400 invalid_type where parameters is null",
      ),
      ...parameters(
        "the prompt of text to image > refuses a number",
        "the parameters of the edit > refuses count with a fraction",
      ),
    ],
  },
  {
    row: "4, 4.0 and 4e0 are the same integer",
    tests: requests("a creation > takes 4, 4.0 and 4e0 as the same integer"),
  },
  {
    row: "Missing field: 400 `missing_required_parameter`",
    tests: [
      ...answered("400 missing_required_parameter where the model is missing"),
      ...parameters("the parameters of the edit > refuses neither of the required"),
    ],
  },
  {
    row: "Unknown field at any level, `__proto__` too: 400 `unknown_parameter`",
    tests: [
      ...answered("400 unknown_parameter where a member is called __proto__"),
      ...parameters(
        "what vendor-a/v4.1/flash/text-to-image takes for parameters > refuses a member called __proto__",
        "the other parameters of text to image > refuses __proto__ in a colour",
        "the other parameters of text to image > refuses a fourth component",
      ),
    ],
  },
  {
    row: "Enum, constant, pattern, lone surrogate: 400 `invalid_value`, which lists what is allowed",
    tests: [
      ...answered("400 invalid_value where the prompt holds half a character"),
      ...parameters(
        "a message > lists what is allowed",
        "the parameters of the edit > refuses sync_mode true",
        "the prompt of text to image > refuses a lone low surrogate",
      ),
    ],
  },
  {
    row: "Bounds: 400 `string_above_max_length`, `string_below_min_length`",
    tests: [
      ...answered("400 string_below_min_length where the prompt is empty"),
      ...parameters("the prompt of text to image > refuses 10,001 characters"),
    ],
  },
  {
    row: "Bounds: 400 `array_above_max_length`, `array_below_min_length`",
    tests: parameters(
      "the parameters of the edit > refuses six images",
      "the parameters of the edit > refuses no image",
    ),
  },
  {
    row: "Bounds: 400 `integer_above_max_value`, `integer_below_min_value`",
    tests: parameters(
      "the parameters of the edit > refuses count 5",
      "the parameters of the edit > refuses count 0",
    ),
  },
  {
    row: "Unknown model, case-sensitive and untrimmed: 400 `model_not_found`",
    tests: [
      ...answered(
        "400 model_not_found where the model is unknown, of which 100 characters come back",
      ),
      ...answers(
        "a model's id > is unknown in another case",
        "a model's id > is unknown with a space behind it",
        "a model's id > is unknown with a space before it",
      ),
    ],
  },
  {
    row: "Bad media URL: 400 `invalid_url`, `url_not_allowed`, `invalid_data_url`, with its index",
    tests: mediaUrl(
      'an address > "media.example/a.png" is invalid_url',
      'an address > "file:///etc/passwd" is url_not_allowed',
      'a data URL > "data:image/gif;base64,AAAA" is invalid_data_url',
      "a data URL > says which of several is at fault",
    ),
  },
]
