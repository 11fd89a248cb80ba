/** Extensions: what an operator sees and steers, by a key of the scope `admin`. */
import type { ConformanceSection } from "../conformance-row.ts"
import {
  commandChanges,
  errors,
  linkSignIn,
  me,
  operator,
  operatorAccounts,
  operatorAccountsServed,
  operatorChanges,
  operatorInsight,
  operatorServed,
  operatorTasks,
  operatorWalls,
} from "./test-files.ts"

export const OPERATOR: ConformanceSection = {
  document: "Extensions",
  section: "§9",
  title: "The operator's API",
  rows: [
    {
      row: "`/v1/admin/…` needs the scope `admin`, which no other includes, and which includes no other",
      tests: [
        ...operator(
          "an operator > needs the scope, which no other includes, and which includes no other",
        ),
        ...operatorWalls(
          "endpoints below /v1/admin > are closed to everybody without a key",
          "endpoints below /v1/admin > are closed to a key of tasks:write, tasks:read, artifacts:read, links:write, webhooks:write",
          "endpoints below /v1/admin > are not closed to an operator's key",
        ),
      ],
    },
    {
      row: "`GET /v1/admin/changes`: each change of an operator, recorded with who, what and when before it is made",
      tests: [
        ...operator(
          "an operator > sees what was changed, by pages",
          "an operator > is named with each change, by the id of the key",
        ),
        ...operatorChanges(
          "an operator's change > of an account, its keys and its links is recorded and logged with the operator's key",
          "an operator's change > of a channel and of a task is recorded and logged with the operator's key",
          "an operator's change > that can't be recorded is not made",
        ),
        ...commandChanges(
          "accounts, keys, links, channels and tasks: each command leaves its record",
        ),
      ],
    },
    {
      row: "`GET /v1/me`: the account, the key's id, its scopes and its end, for any key that is good",
      tests: me("whose key it is > is told to every key that is good, whatever its scopes"),
    },
    {
      row: "`POST /v1/sign-in` exchanges the token of a one-time link for a key: 401 `invalid_sign_in` for any other",
      tests: [
        ...linkSignIn(
          "signing in by a link > answers a good token with a key, to somebody without one",
        ),
        ...linkSignIn("signing in by a link > refuses any other, and repeats none"),
      ],
    },
    {
      row: "The body of a sign-in has at most 1 KiB, and strangers who stall in theirs keep nobody out",
      tests: linkSignIn(
        "strangers who stall within the body of a sign-in > keep nobody else out: 30 of 8739 bytes each",
        "strangers who stall within the body of a sign-in > keep nobody else out: 300 of 1021 bytes each",
        "strangers who stall within the body of a sign-in > may send no body longer than any that holds a token",
      ),
    },
    {
      row: "`GET /v1/admin/tasks`: of all accounts by id, or of one as it lists them; `label` and moments only of one",
      tests: [
        ...operatorTasks(
          "an operator's tasks > are listed of all accounts, and by what is asked",
          "an operator's tasks > need an account for its labels and moments, and a model that there is",
        ),
        ...operatorServed(
          "an operator of a service > sees the tasks of every account, and their hashed events, without a word of their prompts",
        ),
      ],
    },
    {
      row: "`GET /v1/admin/tasks/{task_id}`, `/events`: the task with its account, and what its hashes cover; no input",
      tests: [
        ...operatorTasks("an operator's tasks > are shown one by one, with what hashes cover"),
        ...operatorServed(
          "an operator of a service > sees the tasks of every account, and their hashed events, without a word of their prompts",
        ),
      ],
    },
    {
      row: "`POST /v1/admin/tasks/{task_id}/cancel`, `/resolve`: as its account would; one in doubt is settled, any other is 409 `task_not_in_doubt`",
      tests: [
        ...operatorTasks(
          "an operator's tasks > are cancelled as their account would",
          "an operator's tasks > are settled if they are in doubt, by one verdict",
        ),
        ...errors(
          "errors > answers 409 task_not_in_doubt where a task that is not in doubt is settled",
        ),
        ...operatorServed(
          "an operator of a service > cancels a task of any account, and settles none that is not in doubt",
        ),
      ],
    },
    {
      row: "`GET /v1/admin/accounts`, `/{account}`: settings, and of one what its tasks add up to; 404 `account_not_found`",
      tests: [
        ...operatorAccounts(
          "an operator's accounts > are listed by pages, and shown with what their tasks add up to",
          "an operator's accounts > must be there",
        ),
        ...errors("errors > answers 404 account_not_found where an account is unknown"),
      ],
    },
    {
      row: "`PUT /v1/admin/accounts/{account}`: what is given changes, the rest stays; a new account has the defaults",
      tests: [
        ...operatorAccounts(
          "an operator's accounts > take what is given, and keep what is not",
          "an operator's accounts > are refused settings out of bounds, by the member's name, and names that are none",
        ),
        ...operatorAccountsServed(
          "an operator's accounts in a service > are made with the defaults, changed in part, and listed by pages",
          "an operator's accounts in a service > spend within their budget, and are suspended and resumed",
        ),
      ],
    },
    {
      row: "`GET`, `POST /v1/admin/accounts/{account}/keys`, `/{key_id}/revoke`, `/{key_id}/rotate`: a secret is in the answer that makes it alone; another key is 404 `key_not_found`, a revoked one is not replaced: 409 `key_revoked`",
      tests: [
        ...operatorAccounts(
          "an account's keys, to an operator, > are listed without a secret",
          "an account's keys, to an operator, > are made with what is asked, and the secret is shown",
          "an account's keys, to an operator, > are replaced, and the old one ends after its grace",
          "an account's keys, to an operator, > are revoked, and one that the account does not have is unknown",
        ),
        ...errors(
          "errors > answers 404 key_not_found where an account does not have the key",
          "errors > answers 409 key_revoked where a revoked key is replaced",
        ),
        ...operatorAccountsServed(
          "an operator's accounts in a service > have keys that are shown once, replaced and revoked",
        ),
      ],
    },
    {
      row: "`POST /v1/admin/accounts/{account}/links/revoke` ends every private link of the account",
      tests: [
        ...operatorAccounts("an operator's accounts > lose their links at a word"),
        ...operatorAccountsServed(
          "an operator's accounts in a service > lose every private link at once",
        ),
      ],
    },
    {
      row: "`GET /v1/admin/channels`: standing, limits, and outcomes by hour of the last 24",
      tests: [
        ...operator("an operator > sees the channels, with figures and standing"),
        ...operatorInsight(
          "channels > are listed with state, hours, and those that are no longer configured",
        ),
      ],
    },
    {
      row: "`POST /v1/admin/channels/{channel}/pause`, `/drain`, `/resume`, `/check`; of a channel that there is not: 404 `channel_not_found`",
      tests: [
        ...operator("an operator > pauses, drains, resumes and checks a channel that there is"),
        ...errors("errors > answers 404 channel_not_found where a channel is unknown"),
        ...operatorInsight(
          "channels > are paused and resumed by any name that is known, and by no other",
          "channels > are checked once at a time each, however many ask",
        ),
      ],
    },
    {
      row: "`GET /v1/admin/usage?by=day|model|channel|account`: charge, cost and margin of a period",
      tests: [
        ...operator("an operator > sees usage of a period, by what is asked"),
        ...operatorInsight(
          "usage > is charge, cost and margin by what is asked, and says if there was more",
        ),
      ],
    },
    {
      row: "`GET /v1/admin/system`: versions, queue, commits, nodes and the process",
      tests: [
        ...operator("an operator > sees the system"),
        ...operatorInsight(
          "the system > shows versions, queue, nodes and process, and asks the database once a moment",
        ),
      ],
    },
    {
      row: "`POST /v1/admin/audits` streams `progress` and a last `report`; it reads no faster than its client, and ends with it",
      tests: [
        ...operator(
          "an operator > watches an audit to its report, and then another",
          "an operator > loses its audit when the service stops, without a report",
          "an operator > learns nothing more once its key is revoked",
        ),
        ...operatorInsight(
          "an audit within the service > tells how far it is, then its report, and nothing more",
        ),
      ],
    },
    {
      row: "One audit runs at a time in a process: 409 `audit_running`",
      tests: [
        ...operator(
          "an operator > runs one audit at a time, which reads no further than its client does",
        ),
        ...errors("errors > answers 409 audit_running where an audit runs already"),
        ...operatorInsight(
          "an audit within the service > runs alone: another begins once it is over or ended, and none after a stop",
        ),
      ],
    },
  ],
}
