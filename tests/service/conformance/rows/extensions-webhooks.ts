/** Extensions: webhooks, from their endpoints over HTTP to what is promised of each message. */
import type { ConformanceSection } from "../conformance-row.ts"
import {
  errors,
  lostCommits,
  webhookCrash,
  webhookReceivers,
  webhookSealing,
  webhookService,
  webhookTelling,
  wholeWebhooks,
} from "./test-files.ts"

export const WEBHOOKS: ConformanceSection = {
  document: "Extensions",
  section: "§7",
  title: "Webhooks",
  rows: [
    {
      row: "`POST /v1/webhooks` makes an endpoint; its secret is shown once, and nothing logs it",
      tests: [
        ...webhookService(
          "endpoints > are made with what is told by default, and listed without their secrets",
        ),
        ...wholeWebhooks(
          "webhooks of a service > show no secret again, and log neither secret nor URL",
        ),
      ],
    },
    {
      row: "A secret is sealed in the database; `disabled_reason` `secret_lost` where it can't be opened, until it is rotated",
      tests: [
        ...wholeWebhooks(
          "webhooks of a service > keep their secrets sealed: no file of the data folder holds one",
        ),
        ...webhookSealing(
          "a signing secret > is never stored in clear, and signs at every process and after an adoption",
          "a signing secret > that stands in clear signs as before, and is sealed with the next change or sweep",
          "a signing secret > that can't be opened disables its endpoint with a line, until it is rotated",
          "a signing secret > opens for its own endpoint alone, and not if it was damaged",
        ),
      ],
    },
    {
      row: "More than an account may have: 409 `webhook_limit_exceeded`",
      tests: [
        ...errors(
          "errors > answers 409 webhook_limit_exceeded where the account has as many webhooks as it may",
        ),
        ...webhookService("endpoints > are as many as an account may have"),
      ],
    },
    {
      row: "Addresses that may not be sent to are refused; what one answers that the operator alone allows is kept without its body",
      tests: [
        ...webhookService("endpoints > lead nowhere that may not be sent to"),
        ...wholeWebhooks(
          "webhooks of a service > lead to no private address unless it is allowed, and are as many as they may be",
        ),
      ],
    },
    {
      row: "`/v1/webhooks/{webhook_id}` that is unknown or another account's: 404 `webhook_not_found`; a delivery: 404 `delivery_not_found`",
      tests: [
        ...errors(
          "errors > answers 404 webhook_not_found where a webhook is unknown",
          "errors > answers 404 delivery_not_found where a delivery is unknown",
        ),
        ...webhookService("endpoints > of others are as unknown as those that never were"),
      ],
    },
    {
      row: "`/test` and `/replay` of a disabled one: 409 `webhook_disabled`; enabled again, it gets what failed by a replay",
      tests: [
        ...errors(
          "errors > answers 409 webhook_disabled where a webhook that is disabled is tried out",
        ),
        ...wholeWebhooks(
          "webhooks of a service > are disabled by 410, enabled, and their failed deliveries replayed",
        ),
        ...webhookService("deliveries > are replayed one by one, with the history of before"),
      ],
    },
    {
      row: "A message is the task as `GET /v1/tasks/{task_id}` shows it, signed by Standard Webhooks, with both secrets while they overlap",
      tests: [
        ...wholeWebhooks(
          "webhooks of a service > tell that a task succeeded, as GET shows it, so that a receiver can verify it",
        ),
        ...webhookTelling(
          "a signature > is that of Standard Webhooks, by the secret that was shown once",
          "a signature > is one for each secret while they overlap",
        ),
      ],
    },
    {
      row: "In order for each task, and told by no two processes",
      tests: webhookTelling(
        "an event of a task > waits for those of its task before it, and for no other task's",
        "an event of a task > is told once by two processes that work side by side",
      ),
    },
    {
      row: "A message's id is the same over all tries and names one event for ever: what took the place of an event that the database lost has another",
      tests: [
        ...lostCommits(
          "a SQLite database that is set back > gives no stream's event and no message the id of a lost one",
          "a PostgreSQL database that is set back > gives no stream's event and no message the id of a lost one",
        ),
        ...webhookTelling(
          "an event of a task > keeps the id of a message that an earlier release queued, over all its tries",
          "a notice of expiry > that an earlier release queued is sent under the id that it has",
        ),
      ],
    },
    {
      row: "At least once, wherever a process dies",
      tests: [
        ...webhookCrash(
          "a process that dies > after fanOut loses no message",
          "a process that dies > before send loses no message",
          "a process that dies > after send loses no message",
        ),
        ...webhookReceivers("a process > that dies with a message in hand leaves it to others"),
      ],
    },
    {
      row: "Tried for 75 hours; `Retry-After` may lengthen a pause; 410 disables at once",
      tests: webhookReceivers(
        "a receiver that fails > is tried for 75 hours, ever less often, and then given up with a line",
        "a receiver that fails > may ask for a longer pause",
        "a receiver that fails > with 410 is disabled at once, with all that waits",
      ),
    },
    {
      row: "Another URL begins anew; a host is sent eight messages at a time; 10,000 wait for an endpoint",
      tests: webhookReceivers(
        "a host that an account has named > is sent one message at a time after another URL, whatever the one before has taken",
        "a host that an account has named > is sent eight messages at a time, by all accounts together",
        "a host that an account has named > has so many messages waiting at most; the others are listed as failed, told and replayed",
      ),
    },
    {
      row: "`task.expiring` comes a day before the last artifact expires, and not once it has",
      tests: webhookTelling(
        "a notice of expiry > is sent a day before the artifacts expire",
        "a notice of expiry > is not sent once the artifacts have expired",
      ),
    },
    {
      row: "After a hold it comes a day before the new moment, not for the old one, and holds up no event",
      tests: webhookTelling(
        "a notice of expiry > comes a day before the moment of a hold, and none comes for the moment before it",
        "a notice of expiry > comes again if a hold follows one that was sent",
        "a notice of expiry > that waits for its moment lets the events of its task pass",
      ),
    },
  ],
}
