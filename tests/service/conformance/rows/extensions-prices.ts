/** Extensions: what a task costs at most, what an account has left, and the models with their prices. */
import type { ConformanceSection } from "../conformance-row.ts"
import { engineQuotes, errors, modelAnswers, prices } from "./test-files.ts"

export const PRICES: ConformanceSection = {
  document: "Extensions",
  section: "§6",
  title: "Prices before",
  rows: [
    {
      row: "`POST /v1/quotes`: what a submission would reserve, by which table, and its parts; nothing is stored",
      tests: [
        ...prices("a quote > is the price, its parts, and what names it on a submission"),
        ...engineQuotes(
          "a quote > is what a submission reserves, by the same table, and says how it comes about",
          "a quote > stores nothing, and names a whole second at which it ends",
        ),
      ],
    },
    {
      row: "A quote is refused as the submission would be, and counts against the same rate",
      tests: prices(
        "a quote > is refused as the creation would be, and counted against the same rate",
      ),
    },
    {
      row: "`Safelight-Quote` past its time, or where prices have changed since, cheaper ones too: 402 `quote_expired`",
      tests: [
        ...errors("errors > answers 402 quote_expired where the quote has expired"),
        ...engineQuotes(
          "a submission that names a quote > is a task at its price until its time is over, and none from then on",
          "a submission that names a quote > is refused where tasks are priced by another table, a cheaper one too",
        ),
      ],
    },
    {
      row: "A task that could cost more than its quote or `Safelight-Max-Cost-Micros`: 402 `max_cost_exceeded`, with both amounts, and no trace",
      tests: [
        ...errors(
          "errors > answers 402 max_cost_exceeded where the task could cost more than the request allows",
        ),
        ...prices(
          "the headers of a price > are refused as 402 where the task would cost more, or the quote is over",
        ),
        ...engineQuotes(
          "the most that a task may cost > is kept to the last micro-unit, and what is refused leaves no trace",
        ),
      ],
    },
    {
      row: "A malformed one of either header: 400 `invalid_value`, with the header as `param`",
      tests: prices(
        'the headers of a price > are refused where Safelight-Max-Cost-Micros is "1.5"',
        'the headers of a price > are refused where Safelight-Quote is "x.1.v"',
      ),
    },
    {
      row: "Neither is part of what an `Idempotency-Key` stands for, and a replay ignores both",
      tests: [
        ...prices("the headers of a price > are no part of what an idempotency key stands for"),
        ...engineQuotes(
          "the most that a task may cost > does not refuse a replay: its task is there",
        ),
      ],
    },
    {
      row: "`GET /v1/balance`: `budget_micros`, `reserved_micros`, `spent_micros`, `left_micros`",
      tests: [
        ...prices("the balance > is shown with its rest"),
        ...engineQuotes("a balance > is the budget, what is held back and spent, and what is left"),
      ],
    },
    {
      row: "Without a budget it has null for the budget and the rest; an account that never submitted has spent 0",
      tests: [
        ...prices("the balance > of an account without a budget has no rest"),
        ...engineQuotes(
          "a balance > without a budget has no rest, and an account that is not known has spent nothing",
        ),
      ],
    },
    {
      row: "Without any limit its sums are counted, where that is slow at most a tenth of the time, and are never older than ten seconds",
      tests: engineQuotes(
        "a balance > of an account without limits is counted each time while that is fast",
        "a balance > of an account without limits is not counted again for a while where that is slow",
        "a balance > is never older than ten seconds",
        "a balance > of an account with a limit of either kind is as things are, however slow the storage",
      ),
    },
    {
      row: "`GET /v1/models` and `GET /v1/models/{model_id}`: what each takes, makes, is bounded by and costs",
      tests: modelAnswers(
        "the models > are listed in their order, each as it is shown alone",
        "the models > say what they take, what they make, what bounds them and what they cost",
        "the models > need a key, and one that is not there is named with those that are",
      ),
    },
  ],
}
