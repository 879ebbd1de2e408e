/** Colours and fonts of all pages. Text has a contrast of at least 4.5 on every background. */
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

export const docsStyle = `
html{scroll-padding-top:1.5rem}
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
body{display:grid;grid-template-columns:17.5rem minmax(0,1fr);font-size:15px}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:1.3rem 1rem 2rem 1.4rem;border-right:1px solid var(--line);background:var(--raised);font-size:.875rem;line-height:1.45}
nav ul{list-style:none;margin:0;padding:0}
nav a{display:block;padding:.22rem .5rem;border-radius:6px;color:var(--soft);text-decoration:none}
nav a:hover{background:var(--leaf-soft);color:var(--ink)}
nav>ul>li{margin-top:1rem}
nav>ul>li>a{color:var(--ink);font-weight:620}
nav>ul>li>a,h2{text-transform:capitalize}
nav .brand{display:flex;align-items:center;gap:.55rem;padding:0 .3rem;color:var(--ink);font-weight:650;font-size:1.08rem}
nav .brand:hover{background:none}
.mark{width:1.9rem;height:1.9rem}
nav b{display:inline-block;min-width:3.2em;font-size:.66rem;letter-spacing:.02em}
b.get{color:var(--get)}
b.post{color:var(--post)}
main{padding:2.2rem 2.6rem 5rem;max-width:86rem}
h1{margin:0 0 .4rem;font-size:2.2rem;font-weight:680;letter-spacing:-.025em}
h2{margin:0;padding-top:3.4rem;font-size:1.7rem;font-weight:660}
h3{margin:0;font-size:1.14rem;font-weight:630}
h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}
.lead{margin:.4rem 0 0;color:var(--soft);max-width:44rem}
p code,td code,li code{padding:.1em .32em;border-radius:4px;background:var(--sunken)}
.cards{columns:2 26rem;column-gap:2.6rem;margin-top:.4rem}
.cards section{break-inside:avoid;padding-top:1.5rem}
.cards p{margin:.5rem 0 0}
.cards pre{margin-top:.7rem}
article{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,27rem);gap:0 2.4rem;margin-top:1.6rem;padding-top:1.6rem;border-top:1px solid var(--line)}
article header{grid-column:1/-1;margin-bottom:.9rem}
.route{display:flex;flex-wrap:wrap;align-items:center;gap:.3rem .7rem;margin:.4rem 0 0}
.route b{font:650 .78rem var(--mono);letter-spacing:.03em}
.route code{font-size:.92rem}
.route span{padding:.02rem .6rem;border:1px solid var(--line);border-radius:99rem;color:var(--soft);font-size:.8rem}
.text>p{margin:.35rem 0 0}
.text>p:last-of-type{color:var(--soft)}
.examples{display:grid;gap:1rem;align-content:start}
figure{margin:0;min-width:0}
figcaption{margin-bottom:.3rem;color:var(--soft);font-size:.8rem}
pre,pre code{font-size:.77rem}
pre{padding:.8rem .95rem;max-height:36rem;overflow:auto}
table{width:100%;margin-top:1.1rem;border-collapse:collapse;font-size:.89rem;line-height:1.5}
caption{padding-bottom:.2rem;text-align:left;font-weight:620}
th,td{padding:.42rem .8rem .42rem 0;border-top:1px solid var(--line);text-align:left;vertical-align:top;font-weight:400}
thead th{border:0;padding-block:.1rem .25rem;color:var(--soft);font-size:.8rem}
td:last-child{padding-right:0}
.fields thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.fields tbody th{width:30%}
.fields td:nth-child(2){width:27%;color:var(--soft)}
.fields tbody th code{font-weight:600}
.fields i{display:block;color:var(--bark);font-style:normal;font-size:.76rem}
td small,th small{display:block;font-size:.8rem;color:var(--soft)}
.d1>th{padding-left:1rem}.d2>th{padding-left:2rem}.d3>th{padding-left:3rem}.d4>th{padding-left:4rem}
.grid th,.grid td{padding-right:.5rem}
.grid .no{color:var(--soft)}
.codes{max-width:60rem}
.codes th[scope=row],.codes td:nth-child(2){font-variant-numeric:tabular-nums}
.codes tr:target,article:target>header{background:var(--leaf-soft);box-shadow:0 0 0 .5rem var(--leaf-soft);border-radius:2px}
@media(max-width:75rem){article{grid-template-columns:minmax(0,1fr)}.examples{margin-top:1.2rem}}
@media(max-width:52rem){
html{scroll-padding-top:4.4rem}
body{display:block}
nav{z-index:2;display:flex;align-items:center;gap:.4rem;height:auto;padding:.55rem .9rem;border:0;border-bottom:1px solid var(--line);overflow-x:auto}
nav .brand{font-size:0;gap:0}
nav>ul{display:flex;gap:.1rem}
nav>ul>li{margin:0}
nav ul ul{display:none}
main{padding:1.6rem 1.1rem 3rem}
h1{font-size:1.8rem}
h2{padding-top:2.6rem}}
@media(max-width:36rem){
.fields,.fields tbody,.fields tr,.fields th,.fields td{display:block}
.fields caption{display:block}
.fields tbody th{width:auto;padding-bottom:0}
.fields td{border:0;padding-block:.1rem}
.fields tr td:last-child{padding-bottom:.5rem}
.fields td:nth-child(2){width:auto}
.d1>td{padding-left:1rem}.d2>td{padding-left:2rem}.d3>td{padding-left:3rem}.d4>td{padding-left:4rem}
.fields i,.fields td small{display:inline;margin-left:.6rem}
.codes td:nth-child(2),.codes thead th:nth-child(2){display:none}}
@media print{
:root{--ground:#fff;--raised:#fff;--sunken:#fff;--line:#ccc;--ink:#000;--code:#000;--soft:#333;--leaf:#2c6e4f;--bark:#8a5f3c;--get:#1f5f8b;--post:#2c6e4f}
nav,.skip{display:none}
body{display:block;font-size:10pt}
main{padding:0;max-width:none}
article{grid-template-columns:minmax(0,1fr)}
pre{white-space:pre-wrap;max-height:none;break-inside:avoid}
tr,h2,h3,article header{break-inside:avoid;break-after:avoid}
tr{break-after:auto}}
`
