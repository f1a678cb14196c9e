use hopwright_sim::Outcome;
#[path = "../tests/support/mod.rs"] mod support;
fn main(){
 let a: Vec<String>=std::env::args().collect();
 let id=&a[1]; let ns2=a[2]=="ns2"; let seeds: u64=a[3].parse().unwrap();
 let hops: Vec<u32> = if a.len()>4 {a[4].split(',').map(|x|x.parse().unwrap()).collect()} else {(1..=8).collect()};
 for h in hops { let mut g=vec![];let mut c=0.0;let mut r=0.0;let mut rx=0.0;let mut to=0.0;let mut fr=0;let mut ev=0; let t=std::time::Instant::now();
  for s in 1..=seeds { let mut st=support::string(h,id,300.0,ns2); if let Some(w)=std::env::var("WIN").ok(){ if let hopwright_sim::FlowKind::Tcp{params,..}=&mut st.flows[0].kind {params.window_limit_segments=w.parse().unwrap();} }
   if std::env::var("AODV").is_ok() { st.routing=hopwright_sim::Routing::Aodv(hopwright_routing::aodv::Config::ns2()); }
   let o:Outcome=support::outcome(&st,s); let f=&o.report.flows[0].tcp.as_ref().unwrap(); g.push(f.goodput_bps); c+=o.report.mac.collisions.total as f64; r+=o.report.mac.failures.rts_cts as f64; rx+=f.retransmissions as f64; to+=f.rto_count as f64; fr+=o.report.frames; ev+=o.report.events;}
  let n=seeds as f64; let m=g.iter().sum::<f64>()/n; let sd=(g.iter().map(|x|(x-m)*(x-m)).sum::<f64>()/(n-1.0).max(1.0)).sqrt();
  println!("{h} goodput {m:.0} sd {sd:.0} col {:.0} ret_rts {:.1} rtx {:.1} rto {:.1}  ns/frame {:.0} ev/frame {:.2}",c/n,r/n,rx/n,to/n,t.elapsed().as_nanos() as f64/fr as f64, ev as f64/fr as f64);
 }}
