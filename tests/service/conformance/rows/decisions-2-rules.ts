/** HTTP decisions §2: what holds of every error and every answer, before the table of cases. */
import type { ConformanceRow } from "../conformance-row.ts"
import {
  answers,
  errors,
  generatedRequests,
  list,
  nodeServer,
  openapi,
  parameters,
  redaction,
  requests,
  tasks,
} from "./test-files.ts"

const HEAD = "HEAD > is GET without the body where the answer is"
const ALL_ANSWERS = openapi("the described answers > are what is answered, and all of it")

export const ERROR_RULES: readonly ConformanceRow[] = [
  {
    row: '`{"error":{"message","type","code"}}`: always, three non-null strings',
    tests: [
      ...generatedRequests(
        "generated requests > are answered in process as the model says, and stored only where they are valid",
        "generated requests > whose bytes are broken anywhere end in whole answers, and in no task without its 202",
      ),
      ...errors("the error table > has a test for every code that a request alone can bring about"),
    ],
  },
  {
    row: "`param` where one parameter is at fault, and only there",
    tests: [
      ...requests(
        "a creation > names what is wrong by the specification's own path",
        "a creation > of vendor-a/v4.1/flash/text-to-image without parameters is one error",
      ),
      ...errors(
        "the error table > tells of several wrong parameters, at most twenty, and of none alone",
      ),
    ],
  },
  {
    row: "`details` where several are: at most 20 of `{param, code, message}`",
    tests: [
      ...errors(
        "the error table > tells of several wrong parameters, at most twenty, and of none alone",
      ),
      ...list("a query > is told of everything wrong with it"),
    ],
  },
  {
    row: "`param` uses the specification's own path form: `parameters.colors[1].g`, `model`",
    tests: [
      ...requests("a creation > names what is wrong by the specification's own path"),
      ...parameters("the other parameters of text to image > refuses a component out of range"),
      ...errors("errors > answers 400 missing_required_parameter where the model is missing"),
    ],
  },
  {
    row: "Every response carries `X-Request-Id`, each its own",
    tests: [
      ...ALL_ANSWERS,
      ...tasks(
        "tasks > names every request differently",
        "tasks > answers OPTIONS with the methods and no body, without a key",
      ),
      ...answers(`${HEAD} 304: a copy that is good`),
      ...nodeServer("the Node server > answers no HTTP at all with 400 and the error body"),
    ],
  },
  {
    row: "JSON is `application/json; charset=utf-8`, `no-store` and `nosniff`",
    tests: [
      ...generatedRequests(
        "generated requests > are answered over kept connections as the model says",
      ),
      ...errors("errors > answers 404 task_not_found where the task is unknown"),
    ],
  },
  {
    row: "HEAD is the same answer without the body: 200",
    tests: answers(
      `${HEAD} 200: a task`,
      `${HEAD} 200: the tasks`,
      `${HEAD} 200: artifacts`,
      `${HEAD} 200: content`,
      `${HEAD} 200: usage`,
    ),
  },
  {
    row: "HEAD is the same answer without the body: 304 and errors",
    tests: answers(
      `${HEAD} 304: a copy that is good`,
      `${HEAD} 400: a wrong query`,
      `${HEAD} 401: no key`,
      `${HEAD} 403: a scope that is missing`,
      `${HEAD} 404: no task`,
      `${HEAD} 404: a link that opens nothing`,
      `${HEAD} 405: a method that is none`,
      `${HEAD} 409: artifacts of an unfinished task`,
      `${HEAD} 410: what is expired`,
      `${HEAD} 412: a false precondition`,
      `${HEAD} 414: a long address`,
      `${HEAD} 429: a rate that is used up`,
      `${HEAD} 500: a bug`,
      `${HEAD} 503: bytes out of reach`,
      "HEAD on the wire > has no body either where no request came of it",
    ),
  },
  {
    row: "A message never echoes a secret or a token",
    tests: redaction(
      "a token > is told by nothing in a model, which is 400",
      "a token > is told by nothing in a member, which is 400",
      "a token > is told by nothing in a query that has it within a name, which is 400",
      "a token > is told by nothing in a key, which is 401",
    ),
  },
  {
    row: "A message never echoes a full URL",
    tests: [
      ...answers(
        "a message > repeats no URL that stands where a model belongs",
        "a message > repeats no URL that stands where a member belongs",
        "a message > repeats no URL that stands where a value belongs",
      ),
      ...parameters("a message > names the parameter and never what was sent"),
    ],
  },
  {
    row: "A message never echoes more than 100 characters of input",
    tests: [
      ...answers(
        "a message > repeats no more than 100 characters of a model",
        "a message > repeats no more than 100 characters of a member",
        "a message > repeats no more than 100 characters of a parameter's name",
        "a message > repeats no more than 100 characters of a value",
      ),
      ...generatedRequests(
        "generated requests > are answered in process as the model says, and stored only where they are valid",
      ),
    ],
  },
]
