/** Extensions: learning what happens as it happens, by an answer that waits or by a stream. */
import type { ConformanceSection } from "../conformance-row.ts"
import { engineChanges, lostCommits, streams, waits } from "./test-files.ts"

export const WAITING: ConformanceSection = {
  document: "Extensions",
  section: "§2",
  title: "Waiting for a task",
  rows: [
    {
      row: "`Prefer: wait=N` puts the answer off until the task is finished, at creation too; `Preference-Applied` says so",
      tests: waits(
        "a wait > ends as soon as the task is finished",
        "a wait > holds for a new task, and keeps nothing of its body meanwhile",
      ),
    },
    {
      row: "After N seconds, at most 60, the answer is the task as it is then, with `Retry-After`",
      tests: waits(
        "a wait > passes, and the answer is the task as it is then",
        "a wait > counts as the first that is named, up to a minute",
      ),
    },
    {
      row: "Malformed or unknown preferences are ignored, and so is one above the bound of waits",
      tests: waits(
        "a wait > is none for what is malformed or unknown",
        "a wait > is none above the bound of an account, or of all",
      ),
    },
    {
      row: "A client that leaves ends its wait and nothing else; a server that closes answers at once",
      tests: waits(
        "the wait of a client that leaves > ends under our server, and cancels nothing",
        "our server > answers at once what waits when it closes",
      ),
    },
    {
      row: "A key that was revoked meanwhile is told the task as it was before the wait, and no `Preference-Applied`",
      tests: waits("a wait > tells a key that was revoked meanwhile nothing that came after"),
    },
    {
      row: "A wait that fails refuses no submission that was accepted",
      tests: waits("a wait > fails no submission that was accepted"),
    },
  ],
}

export const STREAMS: ConformanceSection = {
  document: "Extensions",
  section: "§3",
  title: "Streams",
  rows: [
    {
      row: "`GET /v1/stream` begins with `ready` and sends every event of the account's tasks, in order, and no other account's",
      tests: [
        ...streams("a stream > of an account begins with ready and sends every change as it comes"),
        ...engineChanges(
          "whoever watches an account > reads every event of its tasks once, in order, with the task as it left it",
          "whoever watches an account > learns nothing of another account's tasks",
        ),
      ],
    },
    {
      row: "`GET /v1/tasks/{task_id}/stream` tells of one task from its beginning to its end; of a finished one 204",
      tests: streams(
        "a stream > of a task begins at its beginning, and ends with it",
        "a stream > of a task goes on behind Last-Event-ID; of a finished one nobody need come back",
      ),
    },
    {
      row: "With `Last-Event-ID` it goes on behind that event, at any node; `reset` where something may be missing",
      tests: [
        ...streams(
          "a stream > of an account goes on behind Last-Event-ID, over pages",
          "a stream > of an account starts over behind junk",
        ),
        ...engineChanges(
          "whoever watches an account > who comes back finds what it missed, at another process too",
        ),
      ],
    },
    {
      row: "An id names one event for ever: where the database has lost it and another has its place, `reset`; of a task all of its events follow",
      tests: [
        ...streams(
          "a stream > of an account starts over behind another event of its position",
          "a stream > of a task starts over behind another event of its version",
          "a stream > of a task starts over behind another end than its own",
          "a stream > of an account starts over behind an id of a release that named no event by its hash",
          "a stream > of a task starts over behind an id of a release that named no event by its hash",
        ),
        ...engineChanges(
          "whoever watches an account > is told where its database lost events and others took their places",
        ),
        ...lostCommits(
          "a SQLite database that is set back > resets a stream that is resumed behind a lost event",
          "a PostgreSQL database that is set back > resets a stream that is resumed behind a lost event",
        ),
      ],
    },
    {
      row: "Past the bounds: 429 `concurrency_limit_exceeded` for the account, 503 `overloaded` for the process",
      tests: streams("a stream > is one of as many as the account, and the process, may have open"),
    },
    {
      row: "A revoked key learns nothing more",
      tests: streams(
        "a stream > learns nothing more once its key is revoked",
        "a stream > is ended at its next beat where its key was revoked",
      ),
    },
    {
      row: "A client that reads nothing has nothing read for it",
      tests: streams(
        "a client that reads nothing of its stream > has nothing read for it; what it missed comes when it reads on",
      ),
    },
    {
      row: "A storage that is away ends no stream; the engine's stop and old age do",
      tests: streams(
        "a stream > goes on where the storage was away",
        "a stream > ends with the service",
        "a stream > shows now and then that it stands, and ends when it is old",
      ),
    },
  ],
}
