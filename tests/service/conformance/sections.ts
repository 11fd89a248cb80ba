/**
 * Everything that the two documents promise, in their order, and then the extensions. A rule that is added to
 * one of them gets a row here, and with it a test: a row without one fails.
 */
import type { TestReference } from "../../support/passed-tests.ts"
import type { ConformanceSection } from "./conformance-row.ts"
import { ORDER } from "./rows/decisions-1-order.ts"
import { ERROR_BODY } from "./rows/decisions-2-errors.ts"
import { TASKS } from "./rows/decisions-3-tasks.ts"
import { PARAMETER_RULES } from "./rows/decisions-4-parameters.ts"
import { CONTENT } from "./rows/decisions-5-content.ts"
import { LINKS } from "./rows/decisions-6-links.ts"
import { KEYS_AND_LIMITS } from "./rows/decisions-7-keys.ts"
import { EXTENSIONS } from "./rows/extensions.ts"
import { SERVICE } from "./rows/specification-1-service.ts"
import { FIELDS } from "./rows/specification-2-fields.ts"
import { EDIT, TEXT_TO_IMAGE } from "./rows/specification-2-images.ts"
import { VIDEO } from "./rows/specification-2-video.ts"
import { ENDPOINT_SECTIONS } from "./rows/specification-3-to-6.ts"
import { LIMIT_SECTIONS } from "./rows/specification-7-to-9.ts"

export const SECTIONS: readonly ConformanceSection[] = [
  SERVICE,
  ...FIELDS,
  TEXT_TO_IMAGE,
  EDIT,
  VIDEO,
  ...ENDPOINT_SECTIONS,
  ...LIMIT_SECTIONS,
  ORDER,
  ERROR_BODY,
  TASKS,
  PARAMETER_RULES,
  CONTENT,
  LINKS,
  KEYS_AND_LIMITS,
  ...EXTENSIONS,
]

/** Every test that a row refers to, each once. */
export function toReferences(sections: readonly ConformanceSection[]): readonly TestReference[] {
  const all = sections.flatMap(({ rows }) => rows.flatMap(({ tests }) => tests))
  return [...new Map(all.map((test) => [`${test.file}\n${test.name}`, test])).values()]
}
