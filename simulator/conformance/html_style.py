"""The style sheet of the page: light and dark by the reader's setting, and always light on paper.

The colours are the window's (`ui/theme.py`), by meaning; each verdict has a sign and a word as well.
"""

from typing import Final

_LIGHT: Final = """
--window:#eceff3;--panel:#ffffff;--sunken:#f4f6f9;--line:#d5dae1;--text:#171c22;--muted:#4c5663;--accent:#005a8f;
--participant:#1580bf;--vad:#2a99a3;--agent:#c47a00;--response:#79838f;--off:#5a5160;
--passed:#00644a;--failed:#a83200;--inconclusive:#6a5600;
--passed-ground:#e3f3ed;--failed-ground:#fbe9e1;--inconclusive-ground:#f6f0d4;
"""
_DARK: Final = """
--window:#101317;--panel:#181c21;--sunken:#13161a;--line:#2b313a;--text:#e7eaee;--muted:#a7b0bc;--accent:#6cc0f0;
--participant:#56b4e9;--vad:#35a9a5;--agent:#e69f00;--response:#717c8a;--off:#b9aec2;
--passed:#3fcf9f;--failed:#ff8a5c;--inconclusive:#e8dc5a;
--passed-ground:#12302a;--failed-ground:#3b2219;--inconclusive-ground:#333019;
"""

STYLE: Final = (
    f"""
:root{{color-scheme:light dark;{_LIGHT}}}
@media screen and (prefers-color-scheme:dark){{:root{{{_DARK}}}}}
"""
    + """
*{box-sizing:border-box}
body{margin:0;background:var(--window);color:var(--text);font:15px/1.5 system-ui,"Segoe UI",Roboto,sans-serif}
main{max-width:1160px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:28px;line-height:1.2;margin:0 0 4px;font-weight:650;overflow-wrap:anywhere}
h2{font-size:20px;line-height:1.3;margin:0;font-weight:650;overflow-wrap:anywhere}
h3{font-size:13px;margin:20px 0 6px;color:var(--muted);font-weight:600}
h2.part{margin:40px 0 12px}
p{margin:0 0 8px}
a{color:var(--accent)}
code,.mono,.events{font-family:ui-monospace,"Cascadia Mono","DejaVu Sans Mono",Menlo,monospace;font-size:.86em}
.kind,.muted{color:var(--muted)}
.kind{font-size:13px;margin:0 0 4px}
.overall{display:flex;flex-wrap:wrap;gap:8px 20px;align-items:center;margin:16px 0 12px}
.overall .verdict{font-size:19px;padding:6px 16px}
.verdict{display:inline-block;padding:1px 10px;border-radius:4px;font-weight:600;white-space:nowrap;
 color:var(--c);background:var(--g);border:1px solid var(--c)}
.passed{--c:var(--passed);--g:var(--passed-ground)}
.failed{--c:var(--failed);--g:var(--failed-ground)}
.inconclusive{--c:var(--inconclusive);--g:var(--inconclusive-ground)}
.card{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:20px 24px;margin:0 0 16px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:6px 12px 6px 0;border-bottom:1px solid var(--line)}
tr:last-child>td,tr:last-child>th{border-bottom:0}
thead th{font-size:13px;color:var(--muted);font-weight:600}
tbody th{font-weight:500}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.matrix td,.matrix th{vertical-align:middle}
.matrix td.cell{width:164px;padding:4px 8px 4px 0}
.matrix td.cell a{display:block;text-decoration:none;text-align:center;padding:4px 10px;border-radius:4px;
 color:var(--c);background:var(--g);border:1px solid transparent;font-weight:600}
.matrix td.cell a:hover,.matrix td.cell a:focus-visible{border-color:var(--c)}
.matrix .clause{display:block;color:var(--muted);font-size:13px;font-weight:400;line-height:1.4;max-width:66ch}
.run header{display:flex;flex-wrap:wrap;gap:6px 14px;align-items:baseline;margin-bottom:10px}
.run header .muted{font-size:13px}
.mode{font-weight:400;color:var(--muted)}
.against{display:grid;grid-template-columns:1fr 1fr;gap:4px 28px;margin:0 0 8px}
.against h3{margin-top:4px}
.against p,.against ul{max-width:66ch;overflow-wrap:anywhere}
ul{margin:0 0 8px;padding-left:18px}
.against ul.actual{list-style:none;padding:0}
.against ul.actual li{border-left:3px solid var(--c);padding-left:10px;margin-bottom:6px}
.demands{list-style:none;padding:0;font-size:13px;color:var(--muted)}
.demands li{padding-left:20px;text-indent:-20px}
.demands b{display:inline-block;width:16px;text-indent:0;color:var(--c,var(--muted))}
.demands .failed{color:var(--text)}
.limit{color:var(--muted)}
th.end{padding-left:8px}
td.event{font-size:13px;padding-left:8px;color:var(--muted);min-width:236px;line-height:1.4}
details{margin-top:12px}
summary{cursor:pointer;color:var(--accent);width:fit-content}
summary:focus-visible,a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.events{border-top:1px solid var(--line);margin-top:8px;table-layout:fixed;min-width:680px}
.events td{padding:3px 10px 3px 0;overflow-wrap:anywhere;line-height:1.4}
.events td:nth-child(1){width:56px;text-align:right;color:var(--muted)}
.events td:nth-child(2){width:88px;text-align:right;color:var(--muted);white-space:nowrap}
.events td:nth-child(3){width:300px}
.events tr:target{background:var(--inconclusive-ground)}
pre{background:var(--sunken);border:1px solid var(--line);border-radius:4px;padding:12px;overflow-x:auto;
 white-space:pre-wrap;overflow-wrap:anywhere;font-size:12.5px;margin:8px 0}
.facts{display:grid;grid-template-columns:fit-content(260px) 1fr;gap:4px 20px;margin:0}
.facts dt{color:var(--muted)}.facts dd{margin:0;overflow-wrap:anywhere}
.definitions{position:absolute}
.timeline{display:block;width:100%;min-width:760px;height:auto;margin:8px 0 4px}
.timeline text{font:10.5px system-ui,"Segoe UI",Roboto,sans-serif;fill:var(--muted)}
.timeline .lane{font-size:11px}
.timeline .ground{fill:var(--sunken)}
.timeline .participant{fill:var(--participant)}.timeline .agent{fill:var(--agent)}
.timeline .unheard{fill:var(--agent);opacity:.42}
.timeline .spoken{fill:var(--participant);opacity:.14}
.timeline .vad{fill:var(--vad)}.timeline .response{fill:var(--response)}
.timeline .ended{fill:none;stroke:var(--response)}
.timeline .off{fill:url(#hatch)}.timeline .off-word{fill:var(--off)}
.hatch{fill:var(--off);opacity:.34}
.timeline .mark path{stroke:var(--text);opacity:.34;stroke-width:1}
.timeline .mark text{fill:var(--text)}
.timeline .wrong path{stroke:var(--failed);opacity:1}.timeline .wrong text{fill:var(--failed)}
.timeline .tick path{stroke:var(--line)}.timeline .tick text{text-anchor:middle}
.legend{display:flex;flex-wrap:wrap;gap:2px 18px;font-size:12.5px;color:var(--muted)}
.legend i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px;vertical-align:-1px}
footer{margin-top:32px;color:var(--muted);font-size:13px}
@media (max-width:720px){
main{padding:20px 12px 40px}.card{padding:14px}
.against{grid-template-columns:1fr}
.matrix .clause{display:none}.matrix td.cell{width:auto}
.facts{grid-template-columns:1fr}.facts dt{margin-top:6px}
}
@media print{
body{background:none;font-size:12px}main{max-width:none;padding:0}
h1{font-size:22px}h2{font-size:16px}h2.part{margin-top:20px}
.kind,.muted,.matrix .clause,td.event,thead th,h3,.legend,.run header .muted{font-size:10.5px}
.overall .verdict{font-size:15px;padding:3px 12px}
.card{border-color:#bbb;padding:10px 14px}
h2,h3,.run header,thead{break-after:avoid}
tr,.timeline,.against{break-inside:avoid}
.scroll{overflow:visible}.timeline{min-width:0}td.event{min-width:0}
details:not([open]){display:none}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
"""
)
