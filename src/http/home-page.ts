export const homePage = (): string => '<!doctype html><title>Banyan</title><a href="/docs">Docs</a>'
