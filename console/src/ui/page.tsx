import { type ReactNode, useEffect } from 'react'
import './page.css'

interface PageProps {
  title: string
  /** One sentence about the page. */
  about?: ReactNode
  /** Back link: target and label. */
  back?: { href: string; title: string }
  /** Buttons to the right of the title. */
  actions?: ReactNode
  children: ReactNode
}

/** A page with its title, description and actions. */
export function Page({ title, about, back, actions, children }: PageProps) {
  useDocumentTitle(title)
  return (
    <div className="page">
      <div className="page-head">
        <div className="page-title">
          {back && (
            <a className="page-back" href={back.href}>
              ← {back.title}
            </a>
          )}
          <h1>{title}</h1>
          {about !== undefined && <p className="soft">{about}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Banyan' : `${title} · Banyan`
  }, [title])
}
