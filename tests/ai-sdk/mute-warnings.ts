/** The AI SDK prints each warning that it returns. Tests look at what is returned. */
export function muteWarnings(): void {
  ;(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false
}
