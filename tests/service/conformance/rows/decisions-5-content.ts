/** HTTP decisions §5: the order of content's conditions, its headers, and how it is sent. */
import type { ConformanceRow, ConformanceSection } from "../conformance-row.ts"
import { RANGES } from "./decisions-5-ranges.ts"
import {
  changedBytes,
  conditions,
  content,
  errors,
  failingStorage,
  linkAnswers,
  openapi,
  ranges,
  sending,
  sweep,
  tasks,
  transfers,
} from "./test-files.ts"

const WHOLE = content("content > sends the whole with every header of the decisions")
const SAME = transfers(
  "the headers of content > are the same on a range, on several and on HEAD as on the whole",
)
const EXPIRED =
  "errors > answers 410 artifact_expired where the artifact expires this very millisecond"

function decided(...names: readonly string[]): ConformanceRow["tests"] {
  return conditions(...names.map((name) => `decideContent > answers ${name}`))
}

const ORDER: readonly ConformanceRow[] = [
  {
    row: "Order: authentication → existence → expiry → preconditions",
    tests: [
      ...transfers(
        "content > is asked who calls first, then what there is, then whether it is there still",
      ),
      ...tasks(
        "the order of checks > looks for the task, its end, the key, the expiry, then the preconditions",
      ),
    ],
  },
  {
    row: "If-Match compares strongly, and counts before If-Unmodified-Since",
    tests: decided(
      "If-Match with the tag with whole",
      "If-Match with the tag made weak with precondition-failed",
      "If-Match over If-Unmodified-Since with whole",
      "If-Unmodified-Since a second before with precondition-failed",
    ),
  },
  {
    row: "Then If-None-Match, compared weakly, before If-Modified-Since",
    tests: decided(
      "If-Match before If-None-Match with precondition-failed",
      "If-None-Match with the tag made weak with not-modified",
      "If-None-Match over If-Modified-Since with whole",
      "If-Modified-Since the same second with not-modified",
    ),
  },
  {
    row: "Then If-Range with Range, by GET only",
    tests: decided(
      "If-None-Match before Range with not-modified",
      "If-Range with the tag with partial",
      "If-Range without Range with whole",
      "Range with HEAD with whole",
    ),
  },
  {
    row: "Preconditions count only where the answer would be 2xx: expired with If-None-Match is 410",
    tests: errors(
      EXPIRED,
      "errors > answers 410 artifact_expired where the artifact has expired and its bytes are gone",
    ),
  },
  {
    row: "The evaluator is pure and property-tested",
    tests: ranges(
      "evaluateRange > agrees with marking every byte on a strip",
      "evaluateRange > answers any text at all",
    ),
  },
  {
    row: "`Last-Modified` is `finished_at`, on every 200, 206 and 304",
    tests: [
      ...WHOLE,
      ...SAME,
      ...content("content > answers a copy still good with 304 and its validators"),
    ],
  },
]

const MULTIPART: readonly ConformanceRow[] = [
  {
    row: "Multipart: an unquoted random boundary of at least 16 hex digits",
    tests: transfers("several ranges > have a boundary of their own in each answer"),
  },
  {
    row: "Multipart: no CRLF before the first, each part its Content-Type and Content-Range, an exact Content-Length",
    tests: content(
      "content > answers bytes=0-0,-1 with the parts 0-0 and 999-999, one reader at a time",
    ),
  },
  {
    row: "Multipart: gaps under 128 bytes are coalesced",
    tests: ranges(
      "evaluateRange > answers bytes=0-0,128-128 of 1,000 bytes with 0-128",
      "evaluateRange > answers bytes=0-0,129-129 of 1,000 bytes with 0-0 129-129",
    ),
  },
  {
    row: "Multipart: streamed, with one handle at a time",
    tests: content(
      "content > answers bytes=-10,200-209,0-9 with the parts 990-999 and 200-209 and 0-9, one reader at a time",
    ),
  },
]

const HEADERS: readonly ConformanceRow[] = [
  { row: "ETag is strong, from the SHA-256", tests: WHOLE },
  {
    row: "If-Range matches it byte for byte, or a date equal to Last-Modified",
    tests: [
      ...content(
        "content > goes on with a range where If-Range still holds, and starts over where not",
      ),
      ...decided("If-Range with the date with partial"),
    ],
  },
  {
    row: "Any other If-Range is the full 200",
    tests: decided(
      "If-Range with the tag made weak with whole",
      "If-Range with another tag with whole",
      "If-Range with a later date with whole",
      "If-Range with an earlier date with whole",
    ),
  },
  {
    row: "304 carries Date, ETag, Cache-Control, Vary",
    tests: transfers("a 304 on the wire > carries Date, ETag, Cache-Control and Vary, and no body"),
  },
  {
    row: "Every 200, 206 and HEAD: `Accept-Ranges`, `Repr-Digest` of the whole, `nosniff`, the policies, `Vary`",
    tests: [...WHOLE, ...SAME],
  },
  {
    row: "`Content-Type` from a fixed list",
    tests: [
      ...transfers("the headers of content > name image/webp as it is, and the file image_3.webp"),
      ...content("content > names no type that is not on its list"),
    ],
  },
  {
    row: '`Content-Disposition: inline; filename="image_1.png"`',
    tests: [
      ...WHOLE,
      ...transfers("the headers of content > name video/mp4 as it is, and the file video.mp4"),
    ],
  },
  {
    row: "`Cache-Control`: `max-age` is an hour, or what is left until the expiry",
    tests: [...WHOLE, ...content("content > lets nobody keep a copy past the expiry")],
  },
  {
    row: "Never a content coding",
    tests: transfers("the headers of content > name no coding, whatever the client would take"),
  },
  {
    row: "`Cross-Origin-Resource-Policy` is `cross-origin` on links, else `same-site`",
    tests: [
      ...WHOLE,
      ...linkAnswers(
        "an answer through a link > has the headers of content, for every origin, and no longer than the link",
      ),
    ],
  },
  {
    row: "OPTIONS is 204 with Allow",
    tests: [
      ...tasks("tasks > answers OPTIONS with the methods and no body, without a key"),
      ...openapi("the document > describes exactly the handler's paths and methods"),
    ],
  },
]

const SENDING: readonly ConformanceRow[] = [
  {
    row: "Expiry is decided once, when the request starts; a transfer that runs goes on",
    tests: transfers(
      "a transfer > that began goes on when its artifact expires, and none begins then: whole",
      "a transfer > that began goes on when its artifact expires, and none begins then: a range",
      "a transfer > that began goes on when its artifact expires, and none begins then: several ranges",
    ),
  },
  {
    row: "Bytes are deleted 24 h after `expires_at`",
    tests: sweep(
      "a sweep > leaves the bytes where they are until that day is over",
      "a sweep > removes the bytes a day after expiry, once, and then forgets the task",
    ),
  },
  {
    row: "A wrong stored size is 503 and an alert, before headers go out",
    tests: errors(
      "errors > answers 503 storage_unavailable where the stored size is wrong",
      "the error table > logs lost and damaged bytes as errors, and no caller's fault at all",
    ),
  },
  {
    row: "Bytes that are missing before their time are 503 and an alert, never 410",
    tests: errors(
      "errors > answers 503 storage_unavailable where the artifact's bytes are missing before its time",
    ),
  },
  {
    row: "304, 412, 416 and HEAD open no bytes: they tell what the log says, also of bytes that are missing",
    tests: content(
      "content > opens nothing for 304, 412, 416 and HEAD, which are answered alike once the bytes are gone",
    ),
  },
  {
    row: "Bytes that can't be read for now are 503, and come whole afterwards",
    tests: failingStorage(
      "answers 503 while artifacts can't be read, and gives them whole afterwards",
    ),
  },
  {
    row: "A read that fails mid-stream destroys the socket and never ends it cleanly",
    tests: sending(
      "sending on Node > destroys the socket where a read fails, and logs it",
      "sending on Node > destroys the socket where a read ends too early, and logs it",
      "sending in process > breaks the stream where a read fails, and logs it",
    ),
  },
  {
    row: "Bytes that are not what the log says are never sent whole: 503 for a small artifact, else the connection breaks off before the last piece; a part is not judged",
    tests: changedBytes(
      "an artifact with a byte that the storage changed > is a 503 before a byte was sent if it is small",
      "an artifact with a byte that the storage changed > breaks off before its end if it is asked for whole, and audit artifacts finds it",
      "an artifact with a byte that the storage changed > breaks off before its end if it is asked for by a range of all its bytes, and audit artifacts finds it",
      "an artifact with a byte that the storage changed > is sent as it is for a range, which has no hash to be compared with",
    ),
  },
  {
    row: "A client that aborts is normal: no leaked handle, no error logged",
    tests: sending(
      "sending on Node > leaves many clients that come and go nothing open",
      "sending on Node > closes the reader of a client that leaves while a read runs",
      "sending in process > reads only as far as it is asked, and closes the reader of a cancelled stream",
    ),
  },
]

export const CONTENT: ConformanceSection = {
  document: "HTTP decisions",
  section: "§5",
  title: "Content: ranges and conditions",
  rows: [...ORDER, ...RANGES, ...MULTIPART, ...HEADERS, ...SENDING],
}
