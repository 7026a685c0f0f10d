import re
src=open('fizzle.body').read()
reserved=open('/tmp/reserved').read().split()
ks=sorted(set(re.findall(r'\bk_([a-z]+)\b',src)))
special={'player_':'player'}
out=src+"\n// Words of the language, each not followed by a further letter.\n\n"
for k in ks:
    out+='k_%s = @{ "%s" ~ !after }\n'%(k,k)
rs=sorted(reserved,key=lambda w:(-len(w),w))
lines=[];cur="   "
for i,w in enumerate(rs):
    t=(" | " if i else " ")+'"%s"'%w
    if len(cur)+len(t)>120: lines.append(cur);cur="   "
    cur+=t
lines.append(cur)
out+="\n// The longest first: a choice that has matched `other` does not come back for `otherwise`.\n// + otherwise\n// + its\n// - item\n"
out+="reserved = @{ (\n"+"\n".join(lines)+"\n  ) ~ !after }\n"
open('fizzle.pest','w').write(out)
