/**
 * What the service offers beyond the specification, as the README of the HTTP adapter promises it. An extension
 * changes no shape that the specification fixes: that is shown by the rows above, not here.
 */
import type { ConformanceSection } from "../conformance-row.ts"
import { OPERATOR } from "./extensions-operator.ts"
import { WEBHOOKS } from "./extensions-webhooks.ts"
import { STREAMS, WAITING } from "./extensions-live.ts"
import { PRICES } from "./extensions-prices.ts"
import {
  callbacks,
  cancel,
  compressedFiles,
  engineCancel,
  engineHold,
  engineHops,
  engineLabels,
  errors,
  hold,
  labels,
  pagesOff,
  runningCancel,
  sqlite,
} from "./test-files.ts"

const CANCELLING: ConformanceSection = {
  document: "Extensions",
  section: "§1",
  title: "Cancelling a task",
  rows: [
    {
      row: "`POST /v1/tasks/{task_id}/cancel`: 200 with `outcome`, `charge_micros`, `charge_limit_micros` and the task",
      tests: cancel(
        "a cancellation > shows the task, what came of it and what it cost",
        "a cancellation > says what a task may cost that goes on, and what one has cost that was done",
      ),
    },
    {
      row: "`cancelled`: no provider had it, and it costs nothing",
      tests: engineCancel(
        "a task that its account cancels > costs nothing before a channel has it",
        "a task that its account cancels > costs nothing while it waits for another try",
      ),
    },
    {
      row: "`stopped`: its provider has stopped the work, and what was reserved is given back",
      tests: [
        ...engineCancel(
          "a task that its account cancels > is stopped at its channel while it runs, uncharged, and the log says what it may have cost",
        ),
        ...runningCancel(
          "a service > stops what it renders for a task that is cancelled, and gives back what was reserved",
        ),
      ],
    },
    {
      row: "`too_late` and `unknown`: the task goes on, its result is kept and charged",
      tests: engineCancel(
        "a task that its account cancels > goes on where it is too late, and its success is charged",
        "a task that its account cancels > goes on where the channel does not tell, and ends as the provider ends it",
      ),
    },
    {
      row: "`unknown` of a purchase in doubt: the task fails uncharged and nothing is bought again",
      tests: engineCancel(
        "a task in doubt > ends uncharged where nobody can be asked, and a line names the purchase",
        "a task in doubt > buys nothing again",
      ),
    },
    {
      row: "Another account's task: 404 `task_not_found`; a key without `tasks:write`: 403; a body: 400",
      tests: cancel(
        "a cancellation > knows no more of another account's task than of none",
        "a cancellation > takes a key that may write, no body and no parameters",
      ),
    },
  ],
}

const LABELS: ConformanceSection = {
  document: "Extensions",
  section: "§4",
  title: "Labels",
  rows: [
    {
      row: "`Safelight-Label` on `POST /v1/tasks`, once or as a list; no task's body shows them, `GET /v1/tasks/{task_id}/usage` does",
      tests: labels(
        "labels of a creation > are what the header lists, once or several times",
        "labels > are asked of the service only if some were sent, and are in no task's body",
      ),
    },
    {
      row: "More than ten, or one that is not as labels may be: 400 `invalid_label`, before the body is read",
      tests: [
        ...errors("errors > answers 400 invalid_label where a label is not written key=value"),
        ...labels("labels of a creation > that make no sense refuse it before its body is read"),
        ...engineLabels("labels > are refused: more than ten"),
      ],
    },
    {
      row: "`label` filters `GET /v1/tasks` and `GET /v1/usage`: tasks with all of them count",
      tests: [
        ...labels(
          "labels > filter /v1/tasks, all of those that are named",
          "labels > filter /v1/usage, all of those that are named",
        ),
        ...sqlite(
          "SQLite is a storage > charges add up by label, by all of several, and never of another account",
        ),
      ],
    },
    {
      row: "They outlive the prompt, so that sums by label stay; only an erasure by hand removes them",
      tests: [
        ...engineLabels(
          "labels > outlive the prompt, so that sums by label stay; whoever erases the task erases them",
        ),
        ...sqlite(
          "SQLite is a storage > labels stay when the inputs go, and go only if a task's names are erased too",
        ),
      ],
    },
    {
      row: "They are no part of what an `Idempotency-Key` stands for: a replay changes none",
      tests: [
        ...labels("labels > are no part of what an idempotency key stands for"),
        ...engineLabels("labels > of a replay change nothing"),
      ],
    },
  ],
}

const HOLDS: ConformanceSection = {
  document: "Extensions",
  section: "§5",
  title: "Keeping artifacts longer",
  rows: [
    {
      row: "`POST /v1/tasks/{task_id}/hold?until` keeps artifacts until then, and answers them as they are listed",
      tests: [
        ...hold(
          "a hold > is asked of the service by its moment, and answers the artifacts as they are listed",
          "a hold > says when, in the query and nowhere else",
        ),
        ...engineHold(
          "a hold > keeps artifacts until its moment, in the row, the task, the sweep and the audit",
        ),
      ],
    },
    {
      row: "Nothing is ever kept for less time, and twice is the same as once",
      tests: engineHold("a hold > never shortens, and twice is the same as once"),
    },
    {
      row: "A hold adds at least an hour, and a hundredth of what the account may: a task has at most a hundred",
      tests: engineHold(
        "a hold > adds an hour at least and a hundredth of what the account may, so that a task has few",
      ),
    },
    {
      row: "An account that may hold nothing, which is the default: 403 `hold_not_allowed`; longer than it may: 400 on `until`",
      tests: [
        ...errors("errors > answers 403 hold_not_allowed where a hold is refused as not-allowed"),
        ...hold("a hold > that is too-long is 400 integer_above_max_value"),
        ...engineHold("a hold > is bounded by what the account may, which by default is nothing"),
      ],
    },
    {
      row: "An unfinished task: 409 `task_not_finished`; a failed one: 409 `task_failed`",
      tests: [
        ...errors("errors > answers 409 task_failed where a hold is refused as failed"),
        ...hold("a hold > that is not-finished is 409 task_not_finished"),
      ],
    },
    {
      row: "From the last expiry on: 410 `artifact_expired`, whether swept or not, whichever is first in the log",
      tests: [
        ...hold("a hold > that is expired is 410 artifact_expired"),
        ...engineHold(
          "a hold > brings nothing back: it is refused from the expiry on, whether or not a sweep ran",
          "a hold > that comes before the record of an expiry wins, and the sweep removes nothing",
          "a hold > that comes behind the record of an expiry is refused",
        ),
      ],
    },
    {
      row: "Of holds at once, at any nodes, the longest counts",
      tests: engineHold(
        "a hold > that meets a longer one finds it there, whichever of two nodes made it",
        "a hold > is as long as the longest of many at once, on two nodes",
      ),
    },
  ],
}

const RELAYS: ConformanceSection = {
  document: "Extensions",
  section: "§8",
  title: "Providers and services that pass requests on",
  rows: [
    {
      row: "More than five services, or a count that is no number: 400 `too_many_hops`",
      tests: [
        ...errors(
          "errors > answers 400 too_many_hops where more services passed the request on than a chain may have",
          "errors > answers 400 too_many_hops where what says how many services passed the request on is no number",
        ),
        ...engineHops(
          "the services that a task has passed through > are told to a channel that relays, none for a client's own task",
        ),
      ],
    },
    {
      row: "`POST /v1/channels/{channel}/callback/{key}` that is not as its provider signs it: 401 `invalid_callback`; an address of nobody's: 404",
      tests: [
        ...errors(
          "errors > answers 401 invalid_callback where a callback is not as its provider signs it",
        ),
        ...callbacks("a callback > is all the same to every address that is none"),
      ],
    },
  ],
}

const PAGES: ConformanceSection = {
  document: "Extensions",
  section: "§10",
  title: "The console and the reference",
  rows: [
    {
      row: "Their files are sent by `Accept-Encoding` as `br`, `gzip` or as they are, each with an entity tag of its own, `Vary` and 304",
      tests: compressedFiles(
        "a file of the reference or the console > is sent as br to who takes it, a third of its size at most",
        "a file of the reference or the console > is sent as gzip to who takes it, a third of its size at most",
        "a file of the reference or the console > is the same file to a cache only in the same coding",
        "a file of the reference or the console > has the coding that the caller prefers, and brotli if it prefers none",
      ),
    },
    {
      row: '`"console": false`: 404 at `/` and `/v1/sign-in`; `"reference": false`: 404 at `/openapi.json` and `/docs`',
      tests: pagesOff(
        "a service > has the console and the reference unless told otherwise",
        "a service > has nothing where the console was, and takes no sign-in link, with console: false",
        "a service > has nothing where the reference was with reference: false",
      ),
    },
  ],
}

export const EXTENSIONS: readonly ConformanceSection[] = [
  CANCELLING,
  WAITING,
  STREAMS,
  LABELS,
  HOLDS,
  PRICES,
  WEBHOOKS,
  RELAYS,
  OPERATOR,
  PAGES,
]
