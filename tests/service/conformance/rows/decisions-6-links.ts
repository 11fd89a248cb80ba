/** HTTP decisions §6: private access links. */
import type { ConformanceSection } from "../conformance-row.ts"
import {
  accessToken,
  artifactLinks,
  linkAnswers,
  linkKeys,
  links,
  redaction,
  secrets,
} from "./test-files.ts"

const LIKE_ALL = "like all others, a good key beside it or not"

/** What a bad link opens: nothing, and always in the same words. */
function opensNothing(...names: readonly string[]) {
  return links(...names.map((name) => `a private link > opens nothing with ${name}, ${LIKE_ALL}`))
}

export const LINKS: ConformanceSection = {
  document: "HTTP decisions",
  section: "§6",
  title: "Private access links",
  rows: [
    {
      row: "`POST …/links` is 201 `{url, expires_at}`",
      tests: artifactLinks(
        "a new link > is 201 with its address, built from the public URL, and its end",
      ),
    },
    {
      row: "`expires_in`: 24 h by default, at most 7 d",
      tests: artifactLinks(
        "a new link > lasts 86400 s with no expires_in, and no longer than the artifact",
        "a new link > lasts 90 s with ?expires_in=90, and no longer than the artifact",
        "a new link > is refused with ?expires_in=604801",
        "a new link > is refused with ?expires_in=0",
      ),
    },
    {
      row: "It takes no body",
      tests: artifactLinks("a new link > is refused with a body, which says where expires_in goes"),
    },
    {
      row: "Unfinished 409, expired 410",
      tests: artifactLinks(
        "a new link > is for artifacts of the account's own finished tasks",
        "a new link > is 410 where it could open nothing any more: at the end, and in the last second",
      ),
    },
    {
      row: "`content_url` is plain; a setting per account signs it",
      tests: artifactLinks(
        "a listing > has plain addresses that need the key, and makes no signing key",
        "a listing > has private links where the account's addresses are signed, for a day",
      ),
    },
    {
      row: "`access=v1.<kid>.<exp>.<epoch>.<base64url HMAC-SHA256>`",
      tests: [
        ...accessToken(
          "an access token > reads back as its parts",
          "an access token > has one text only: whatever parses is written the same again",
        ),
        ...links("a private link > opens what the service signed, and what is signed as it signs"),
      ],
    },
    {
      row: "It binds account, task, artifact, expiry and epoch",
      tests: [
        ...accessToken("what a link signs > is different for claims that differ in anything"),
        ...opensNothing(
          "another account",
          "the link of another task",
          "the link of another artifact",
          "another end",
          "another epoch",
        ),
      ],
    },
    {
      row: "`exp` is at most `expires_at`",
      tests: [
        ...artifactLinks(
          "a new link > counts from whole seconds, floored, and never ends behind the artifact's own",
        ),
        ...links("a private link > ends when the artifact does, whatever it says"),
      ],
    },
    {
      row: "GET and HEAD of that artifact only",
      tests: links(
        "a private link > opens that artifact's content alone, and by GET and HEAD alone",
      ),
    },
    {
      row: "Two signing keys live for rotation",
      tests: linkKeys(
        "the keys and epochs of links > sign with the newest key, and open links of the one before it",
        "the keys and epochs of links > open no more what the key before the last two signed, within one second",
      ),
    },
    {
      row: "Raising the epoch revokes, per artifact and per account",
      tests: linkKeys(
        "the keys and epochs of links > revoke the links of one artifact at once on every node, and no others",
        "the keys and epochs of links > revoke the links of a whole account at once, and no others",
      ),
    },
    {
      row: "Constant-time comparison, a dummy MAC for an unknown key",
      tests: [
        ...secrets(
          "a link's MAC > is computed and compared for a signing key or a task that nobody knows, too",
        ),
        ...linkKeys(
          "the keys and epochs of links > read as much for what is there as for what is not",
        ),
      ],
    },
    {
      row: "When `access` is present it alone decides, empty or malformed included",
      tests: opensNothing(
        "an empty access",
        "an access without a value",
        "a malformed token",
        "two good tokens",
      ),
    },
    {
      row: "Every failure of the link or of what it names is the same 404",
      tests: [
        ...opensNothing(
          "another MAC",
          "another key's name",
          "an end that has come",
          "an unknown task",
          "a malformed task id",
          "an unknown artifact",
        ),
        ...links(
          "a private link > opens nothing of an unfinished or a failed task",
          "a private link > opens nothing while its account is suspended, and everything afterwards",
        ),
      ],
    },
    {
      row: "A valid link to a live artifact may still meet 412 and 416",
      tests: linkAnswers(
        "an answer through a link > is 412 for a false precondition, and every origin may read it",
        "an answer through a link > is 416 for a range behind the end, and every origin may read it",
      ),
    },
    {
      row: "A valid link to a live artifact may still meet 429 and 503",
      tests: [
        ...links(
          "a private link > counts against its account's rate for content, where it opens something",
        ),
        ...linkAnswers(
          "an answer through a link > is 503 while a storage is down, whichever it is, and opens afterwards",
        ),
      ],
    },
    {
      row: "It is redacted from every log, trace, label and message",
      tests: redaction(
        "a token > is told by nothing in a download, which is 200",
        "a token > is told by nothing in an address that is too long, which is 414",
        "a token > is told by nothing in headers that are too large, which is 431",
        "a token > is told by nothing in what is no request: a request line that stops",
        "a token > is told by nothing while readTask fails with a bug",
        "a token > is told by nothing where the files fail: gone, out of reach, or broken off",
        "a token > was looked for where there was something: failures are logged, each with its request",
      ),
    },
    {
      row: "CORS: `*` on links only, never credentials, exposing five headers",
      tests: linkAnswers(
        "an answer through a link > is 206 for a range, and every origin may read it",
        "an answer through a link > is readable where a method is refused, and says nothing of origins elsewhere",
        "an answer through a link > answers a preflight with what a player asks for, whether or not the link is good",
      ),
    },
  ],
}
