/** Colours and type that the pages share. Every pair of text and ground keeps a contrast of 4.5 or more. */
export const baseStyle = `
:root{color-scheme:light dark;
--ground:#fbfaf6;--raised:#fff;--sunken:#f3f1ea;--line:#e2ded2;--ink:#1e2a24;--soft:#56625b;
--leaf:#2c6e4f;--leaf-soft:#e4efe7;--bark:#8a5f3c;--crown:#3c8562;
--get:#1f5f8b;--post:#2c6e4f;--code:#20302a;
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;
--mono:ui-monospace,"SF Mono",SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
@media(prefers-color-scheme:dark){:root{
--ground:#121815;--raised:#18201c;--sunken:#0d1310;--line:#2b3730;--ink:#e4eae5;--soft:#a1aea6;
--leaf:#86cfa8;--leaf-soft:#1c3328;--bark:#c29a72;--crown:#4f9f79;
--get:#8cc3ea;--post:#86cfa8;--code:#d7e3db}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.6 var(--sans);overflow-wrap:break-word}
h1,h2,h3{line-height:1.25;letter-spacing:-.012em;text-wrap:balance}
a{color:var(--leaf);text-decoration-thickness:1px;text-underline-offset:.2em}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--leaf);outline-offset:3px;border-radius:4px}
code,pre{font-family:var(--mono);font-size:.86em;font-variant-ligatures:none}
pre{margin:0;padding:1rem 1.15rem;overflow-x:auto;background:var(--sunken);color:var(--code);border:1px solid var(--line);border-radius:10px;line-height:1.6}
pre,pre code{font-size:.8125rem}
.mark .leaf{fill:var(--crown)}
.mark .bark{fill:none;stroke:var(--bark);stroke-linecap:round}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;z-index:9;padding:.5rem 1rem;background:var(--raised)}
`
