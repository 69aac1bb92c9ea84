// Digests by all their names, as HMAC, and of sizes around their blocks.
const c=require('crypto');const ABSENT = /sm3/i; // refused, as any name that is not known
const listed=c.getHashes().filter(n=>!ABSENT.test(n));console.log(listed.length,listed.join(' '));
const names=[...listed,'SHA2-256','SHA-256','SHA2-512/224','SHA-512/224','SHA512-224','sha512/256','SHA-512-256','BLAKE2B-512','BLAKE2S-256','blake2b','RIPEMD-160','RMD160','SHAKE-128','SHAKE256','MD5-SHA1','SHA2-224','sha-384','rsa-sha3-256','rsa-ripemd160','rsa-md5','rsa-sha-1','rsa-sha1-2','SHA1-2','SSL3-MD5','sha3','keccak-256','KECCAK256','null','undefined','RSA-SHA-256','sha2-384','sha2-512'];
for(const n of names){let a,b;try{const h=c.createHash(n).update('abc').digest('hex');a=h}catch(e){a=e.message+'|'+e.code}
try{b=c.createHmac(n,'k').update('abc').digest('hex').slice(0,16)}catch(e){b=e.message+'|'+e.code}
console.log(n,a,b)}
for (const [n,l] of [['shake128',40],['shake256',0],['shake256',1],['sha3-256',32],['sha3-256',16],['blake2b512',32],['blake2b512',64],['sha256',32]]) {try{console.log(n,l,c.createHash(n,{outputLength:l}).update('abc').digest('hex'))}catch(e){console.log(n,l,e.message,e.code)}}
try{console.log(c.pbkdf2Sync('p','s',3,20,'sha3-256').toString('hex'))}catch(e){console.log(e.message,e.code)}
for (const d of ['shake128','ripemd160','blake2s256','sha512-256','md5-sha1']) {try{console.log(d,c.pbkdf2Sync('p','s',3,70,d).toString('hex'))}catch(e){console.log(d,e.message,e.code)}
try{console.log(d,Buffer.from(c.hkdfSync(d,'p','s','i',40)).toString('hex'))}catch(e){console.log(d,e.message,e.code)}}
const h=c.createHash('shake128',{outputLength:8});h.update('a');const g=h.copy({outputLength:20});const k=h.copy();console.log(h.digest('hex'),g.digest('hex'),k.digest('hex'));
for(const s of [0,1,63,64,71,72,127,128,135,136,137,143,144,200,1000])console.log(s,['sha3-224','sha3-256','sha3-384','sha3-512','shake128','shake256','blake2b512','blake2s256','rmd160','sha512-224','sha512-256','md5-sha1'].map(n=>{const x=c.createHash(n);const d=Buffer.alloc(s,7);for(let i=0;i<s;i+=37)x.update(d.subarray(i,i+37));return x.digest('hex').slice(0,12)}).join(' '));
console.log(c.createHash('sha3-512').update('x'.repeat(100)).copy().digest('base64'));
