/**
 * A dialog over the page. It is the browser's own, which holds the focus and closes at Escape; a press outside closes
 * it too. It is open for as long as it is drawn.
 */
import type { ComponentChildren, JSX } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { Icon } from "./icon.tsx"
import "./dialog.css"

export interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  /** `wide` is for pictures. */
  readonly look?: "plain" | "wide"
  readonly onClose: () => void
}

export function Dialog({ title, children, look = "plain", onClose }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => element.current?.showModal(), [])
  return (
    <dialog
      ref={element}
      class={`dialog ${look}`}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === element.current) element.current?.close()
      }}
    >
      <div class="dialog-body">
        <div class="line spread">
          <h2 id={id}>{title}</h2>
          <button class="tool" type="button" onClick={() => element.current?.close()}>
            <span class="unseen">Close</span>
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  )
}
