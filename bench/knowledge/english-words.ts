/** Everyday words, roughly by frequency: the first ones occur in nearly every sentence. */
export const englishWords: readonly string[] = `
the of and to a in is that for it was on are as with be this by from at have or not they which you we an but were
had has his her their will can all one there if more when about would who been its what so up out into than them
some could time these two may other do then first any my now such like our over me even most made after also did
many before must through years where much your way well down should because each just those people how too little
state good very make world still own see men work long get here between both life being under never day same another
know while last might us great old year off come since against go came right used take three system company number
public home during without again place around however small found part general high thought went say once school
always house does course until program given group days later order less possible important national second problem
business information government development service management market product customer employee department project
data network software document report meeting plan contract price cost quality standard request rule process approval
result reason method condition environment ability level economy politics culture history education science art music
film novel author director actor story country city region village language theory practice experience knowledge study
examination lesson university graduate hospital doctor patient treatment medicine disease health body mind nutrition
food fruit vegetable rice noodle milk coffee tea kitchen family father mother child friend neighbour colleague leader
expert reporter police lawyer court law right duty safety insurance bank account loan interest investment share fund
tax income expense budget profit sale purchase stock transport railway road airport aircraft train car station bridge
building design construction material steel cement energy power oil coal gas wind climate weather temperature rain
river lake ocean island mountain forest desert animal plant bird fish insect cell gene protein chemistry physics
mathematics astronomy earth moon sun satellite rocket army war peace treaty emperor dynasty revolution independence
election president minister parliament party trade export import currency industry agriculture tourism hotel restaurant
ticket museum library park square sport football basketball match champion team coach athlete record score award
criticism advice opinion discussion decision choice comparison analysis review inspection test repair replacement
installation setting login password user permission interface server database backup recovery update version error log
monitor alarm phone computer screen keyboard battery signal frequency sound image video photograph colour shape size
length weight speed distance area population ratio average week morning afternoon evening yesterday today tomorrow
spring summer autumn winter currently finally therefore although according including especially usually ordinary
special different similar new fast slow early late far near really necessary willing hope believe feel understand
discover state suggest emphasise introduce explain prove reflect represent belong become establish organise attend
hold support help protect solve handle control limit connect measure compare choose deliver receive return cancel
`
  .trim()
  .split(/\s+/)

/** Parts of names. */
export const syllables: readonly string[] =
  `ba bel bor cal cor dan del dor el fen fir gal gor hal han hel ir jan jor kal ken kor lan len lor mar men mir nal nor
ol or pal per por qua ran rel rin ros sal sel sor tal tan ter thor tir ul val ven vor wal wen wil xan yor zan zel`.split(
    /\s+/,
  )
