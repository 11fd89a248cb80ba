/** HTTP decisions §2: what holds of every error, then the table of cases. */
import type { ConformanceSection } from "../conformance-row.ts"
import { BODY_ERRORS, REQUEST_ERRORS } from "./decisions-2-requests.ts"
import { LIMIT_ERRORS, RESOURCE_ERRORS } from "./decisions-2-resources.ts"
import { ERROR_RULES } from "./decisions-2-rules.ts"

export const ERROR_BODY: ConformanceSection = {
  document: "HTTP decisions",
  section: "§2",
  title: "The error body",
  rows: [...ERROR_RULES, ...REQUEST_ERRORS, ...BODY_ERRORS, ...RESOURCE_ERRORS, ...LIMIT_ERRORS],
}
